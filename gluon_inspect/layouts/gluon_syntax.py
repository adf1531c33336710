"""Layouts as a Gluon author writes them: `BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])`, read and written.

Reading goes through `ast` and a table of classes; nothing is ever evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gluon_inspect.errors import ParseError
from gluon_inspect.layouts.gluon_factories import FACTORIES, dtype_bits, encoding_of_factory
from gluon_inspect.layouts.gluon_fields import CLASSES, encoding_of_fields
from gluon_inspect.layouts.tile import extent
from gluon_inspect.model import encodings as e
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.source import SourceText

_NAME = "<layout>"
_MAX_CHARACTERS = 100_000


def read_layout(text: str) -> Encoding:
    """The encoding of a layout expression in Gluon's syntax, with or without a module in front.

    Raises ParseError with a position for text that is not such an expression, LayoutError for wrong fields.
    """
    source = SourceText(_NAME, text)
    if len(text) > _MAX_CHARACTERS:
        raise ParseError("the layout expression is too long", position=source.position(_MAX_CHARACTERS))
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        offset = (getattr(error, "offset", None) or 1) - 1
        raise _failure(source, offset, "this is not a layout in Gluon's syntax") from error
    value = _value(tree.body, source)
    if not isinstance(value, e.Encoding):
        raise _failure(source, 0, "this is a value, not a layout")
    return value


def _failure(source: SourceText, offset: int, message: str) -> ParseError:
    return ParseError(
        message,
        position=source.position(offset),
        hint="write for example BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])",
        excerpt=source.excerpt(offset),
    )


def _value(node: ast.expr, source: SourceText) -> object:
    match node:
        case ast.Constant(value=int() | None | str() as value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, source) for item in items]
        case ast.Call(func=(ast.Name() | ast.Attribute()) as function):
            return _call(_called(function), node, source)
        case ast.Name(id=name) | ast.Attribute(attr=name) if dtype_bits(name) is not None:
            return dtype_bits(name)
        case _:
            raise _failure(source, node.col_offset, "only layouts, lists and numbers are understood here")


def _called(function: ast.Name | ast.Attribute) -> str:
    """The class (whatever module it is taken from), or Class.constructor."""
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name):
            return f"{owner}.{name}" if f"{owner}.{name}" in FACTORIES else name
        case _:
            return function.attr


def _call(name: str, node: ast.Call, source: SourceText) -> Encoding:
    known = FACTORIES[name].parameters if name in FACTORIES else ()
    fields = CLASSES[name].fields if name in CLASSES else known
    if fields and len(node.args) > len(fields):
        raise _failure(source, node.col_offset, f"{name} takes at most {len(fields)} arguments")
    values = dict(zip(fields, (_value(arg, source) for arg in node.args), strict=False))
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in values:
            raise _failure(source, node.col_offset, f"{name} gets {keyword.arg or 'a dictionary'} twice")
        values[keyword.arg] = _value(keyword.value, source)
    return encoding_of_factory(name, values) if name in FACTORIES else encoding_of_fields(name, values)


def write_layout(encoding: Encoding, shape: Sequence[int] = (), module: str = "") -> str:
    """The encoding as Gluon source; `module` is put in front of each class, for example "gl.".

    `shape` is needed by padded layouts, which name it. Encodings that Gluon cannot write
    (opaque ones, AMD's rotating) come as the name of their attribute in angle brackets.
    """
    name, arguments = _parts(encoding, tuple(shape), module)
    return f"{module}{name}({', '.join(arguments)})" if arguments is not None else name


def _parts(encoding: Encoding, shape: tuple[int, ...], module: str) -> tuple[str, list[str] | None]:
    match encoding:
        case e.BlockedEncoding(per_thread, lanes, warps, order, cga):
            return "BlockedLayout", [*map(_list, (per_thread, lanes, warps, order)), *_cga(cga)]
        case e.SliceEncoding(dim, parent):
            return "SliceLayout", [str(dim), write_layout(parent, _outer(shape, dim), module)]
        case e.LinearEncoding(register, lane, warp, block):
            bases = (register, lane, warp, block)
            own = extent(next((len(v) for group in bases for v in group), len(shape)), *bases)
            return "DistributedLinearLayout", [*map(_nested, bases), _list(own)]
        case e.DotOperandEncoding(op_idx, parent, k_width):
            inner = write_layout(parent, shape, module)
            return "DotOperandLayout", [str(op_idx), inner, str(k_width)]
        case e.NvidiaMmaEncoding(major, minor, warps, instr, cga):
            return "NVMMADistributedLayout", [*map(_list, ((major, minor), warps, instr)), *_cga(cga)]
        case e.AmdMfmaEncoding() | e.AmdWmmaEncoding():
            return _amd_parts(encoding)
        case e.AutoEncoding(kind):
            return ("CoalescedLayout" if kind.startswith("coalesced") else "AutoLayout"), []
        case _:
            return _memory_parts(encoding, shape, module)


def _amd_parts(encoding: e.AmdMfmaEncoding | e.AmdWmmaEncoding) -> tuple[str, list[str]]:
    match encoding:
        case e.AmdMfmaEncoding(version, warps, instr, transposed, tiles, bits, cga):
            arguments = [str(version), _list(instr), str(transposed), _list(warps)]
            arguments += [f"element_bitwidth={bits}"] if bits != 32 else []
            arguments += [f"tiles_per_warp={_list(tiles)}"] if any(n != 1 for n in tiles) else []
            return "AMDMFMALayout", [*arguments, *_cga(cga)]
        case e.AmdWmmaEncoding(version, transposed, register, warp, instr, rank, cga):
            arguments = [str(version), str(transposed), _nested(warp), _nested(register), _list(instr)]
            arguments += _cga(cga) + ([f"rank={rank}"] if rank != 2 else [])
            return "AMDWMMALayout", arguments


def _memory_parts(encoding: Encoding, shape: tuple[int, ...], module: str) -> tuple[str, list[str] | None]:
    match encoding:
        case e.SwizzledSharedEncoding(vec, per_phase, max_phase, order, cga):
            numbers = [str(vec), str(per_phase), str(max_phase), _list(order)]
            return "SwizzledSharedLayout", [*numbers, *_cga(cga)]
        case e.NvmmaSharedEncoding():
            return "NVMMASharedLayout", _nvmma_arguments(encoding)
        case e.SharedLinearEncoding(offset, block, alignment):
            return "SharedLinearLayout", [_nested(offset), _nested(block), str(alignment)]
        case e.PaddedSharedEncoding(pairs, offset, block, _, own_shape):
            lists = [_nested(pairs), _nested(offset), _nested(block), _list(own_shape or shape)]
            return "PaddedSharedLayout", lists
        case e.PartitionedSharedEncoding(partitions, groups, dim, inner):
            piece = tuple(n // (partitions * groups) if i == dim else n for i, n in enumerate(shape))
            numbers = [str(partitions), str(groups), str(dim)]
            return "PartitionedSharedLayout", [*numbers, write_layout(inner, piece, module)]
        case e.TensorMemoryEncoding(rows, columns, stride, cga, two_ctas, fp4):
            flags = ["two_ctas=True"] * two_ctas + ["fp4_padded=True"] * fp4
            return "TensorMemoryLayout", [f"({rows}, {columns})", str(stride), *_cga(cga), *flags]
        case e.TensorMemoryScalesEncoding(cga, order):
            return "TensorMemoryScalesLayout", [*_cga(cga), *([f'block_rep_order="{order}"'] if order else [])]
        case e.OpaqueEncoding(text):
            return f"<{text}>", None
        case _:
            return f"<{type(encoding).__name__.removesuffix('Encoding')}>", None


def _nvmma_arguments(encoding: e.NvmmaSharedEncoding) -> list[str]:
    arguments = [str(encoding.swizzle_bytes), str(encoding.element_bits), f"rank={encoding.rank}"]
    arguments += ["transposed=True"] * encoding.transposed + ["fp4_padded=True"] * encoding.fp4_padded
    return arguments + _cga(encoding.cga)


def _list(numbers: Sequence[int]) -> str:
    return "[" + ", ".join(map(str, numbers)) + "]"


def _nested(vectors: Sequence[Sequence[int]]) -> str:
    return "[" + ", ".join(map(_list, vectors)) + "]"


def _cga(bases: e.Bases) -> list[str]:
    return [f"cga_layout={_nested(bases)}"] if bases else []


def _outer(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return (*shape[:dim], 1, *shape[dim:]) if shape else ()
