"""What a module must be before anything is worked out of it: types of sane sizes, operands that fit each other.

Only what operations with a row say of themselves is looked at; others stay opaque. The first contradiction is
told at its operation. Limits are those of Triton's own verifiers where it has any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import prod
from typing import Final

from gluon_inspect.ir.operations import row_of
from gluon_inspect.ir.text import parse_module
from gluon_inspect.ir.text.tokenizer import error
from gluon_inspect.model import encodings as e
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.types import (
    DescriptorType,
    FunctionType,
    MemDescType,
    OpaqueType,
    PointerType,
    ScalarType,
    TensorType,
    Type,
)

MOST_ELEMENTS: Final = 1 << 20
"""Of a tensor that an operation gives (maxTensorNumElements, include/triton/Dialect/Triton/IR/Traits.h)."""
_MOST_GIVEN: Final = 1 << 30
"""Of a tensor that a function is given, which Triton's own tests do: nothing is worked out of it."""
MOST_MEMORY_ELEMENTS: Final = 1 << 30
"""Of a view of shared or tensor memory: far above what any target has, and in use by Triton's own tests."""
_MOST_RANK: Final = 16
_MOST_BITS: Final = 512
_MOST_FACTOR: Final = 1 << 16
"""Of an encoding's fields that count elements, lanes or warps along one dimension."""
_MOST_LANES: Final = 1 << 7
_UNDERSTOOD: Final = ("tensor", "!tt.ptr", "!tt.tensordesc", "!ttg.memdesc")
"""Types that are opaque only where they are not well formed."""
_BUILTIN: Final = frozenset({"vector", "memref", "tuple", "complex", "none", "opaque"})
"""MLIR's own types that stay opaque; those of dialects begin with an exclamation mark."""
_HEAD: Final = re.compile(r"\w+")
COUNTS: Final = {
    "ttg.num-warps": (1, 64),
    "ttg.total-num-warps": (1, 64),
    "ttg.num-ctas": (1, 32),
    "ttg.threads-per-warp": (1, 64),
    "ttg.shared": (0, 1 << 31),
    "ttg.tensor_memory_size": (0, 1 << 16),
}
"""What a module says of itself, with the least and the most that it may be."""
_MOST_BASES: Final = 32


def verified_module(text: str, name: str = "<text>") -> Module:
    """A module that can be worked with. Raises ParseError where it cannot be read or contradicts itself."""
    module = parse_module(text, name)
    verify(module)
    return module


def verify(module: Module) -> None:
    """Raises ParseError at the first operation, value or type that contradicts itself."""
    seen: set[int] = set()
    for name, (least, most) in COUNTS.items():
        value = module.attributes.get(name, 1)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            at = max(module.source.text.find(name), 0)
            raise error(module.source, at, f"{name} of {_short(repr(value))}")
    for operation in module.walk():
        wrong = next(_problems(operation, module, seen), None)
        if wrong is not None:
            raise error(module.source, operation.span.start, wrong)


def _problems(operation: Operation, module: Module, seen: set[int]) -> Iterator[str]:
    for of in _types(operation):
        if id(of) not in seen:
            seen.add(id(of))
            yield from type_problems(of)
            yield from _lane_problems(of, module.attributes.get("ttg.threads-per-warp"))
    for value in operation.results:
        if isinstance(value.type, TensorType) and prod(value.type.shape) > MOST_ELEMENTS:
            yield f"{operation.name} gives more than {MOST_ELEMENTS:,} elements ({_by(value.type.shape)})"
    if operation.name not in module.opaque_names:
        for constraint in row_of(operation).requires:
            yield from constraint(operation)


def _types(operation: Operation) -> Iterator[Type]:
    for value in operation.results:
        yield value.type
    for region in operation.regions:
        for block in region.blocks:
            yield from (argument.type for argument in block.arguments)


def type_problems(of: Type) -> Iterator[str]:
    """What is wrong with a type."""
    match of:
        case ScalarType(name, bits):
            if name != "none" and not 1 <= bits <= _MOST_BITS:
                yield f"{_short(name)} has no sane width"
        case PointerType(pointee):
            yield from type_problems(pointee)
        case TensorType(shape, element, encoding):
            yield from _shape_problems("a tensor", shape, _MOST_GIVEN)
            yield from type_problems(element)
            yield from () if encoding is None else encoding_problems(encoding)
        case MemDescType(shape, element, encoding, alloc_shape=whole):
            yield from _shape_problems("a memory view", shape, MOST_MEMORY_ELEMENTS)
            yield from _shape_problems("a memory view's allocation", whole, MOST_MEMORY_ELEMENTS)
            yield from type_problems(element)
            yield from () if encoding is None else encoding_problems(encoding)
        case DescriptorType(_, shape, element, encoding):
            yield from _shape_problems("a descriptor's block", shape, MOST_ELEMENTS)
            yield from type_problems(element)
            yield from () if encoding is None else encoding_problems(encoding)
        case OpaqueType(text) if text.startswith(_UNDERSTOOD) or _is_no_type(text):
            yield f"this is no type: {_short(text)}"
        case FunctionType(inputs, results):
            for inner in (*inputs, *results):
                yield from type_problems(inner)
        case _:
            return


def _is_no_type(text: str) -> bool:
    head = _HEAD.match(text)
    return head is not None and head[0] not in _BUILTIN


def _shape_problems(what: str, shape: tuple[int, ...], most: int) -> Iterator[str]:
    if len(shape) > _MOST_RANK:
        yield f"{what} of {len(shape)} dimensions"
    elif any(size == 0 for size in shape):
        yield f"{what} without elements ({_by(shape)})"
    elif prod(max(size, 1) for size in shape) > most:
        yield f"{what} of more than {most:,} elements ({_by(shape)})"


def encoding_problems(encoding: Encoding) -> Iterator[str]:
    """Numbers of an encoding that would fill a memory before anybody asked whether they fit."""
    for what, numbers, most in _factors(encoding):
        if any(not 1 <= number <= _MOST_FACTOR for number in numbers) or prod(numbers) > most:
            yield f"a layout with {what} of {_by(numbers)}"
    for bases in _bases(encoding):
        if len(bases) > _MOST_BASES or any(abs(part) > MOST_MEMORY_ELEMENTS for basis in bases for part in basis):
            yield f"a layout with {len(bases)} bases, or one of more than {MOST_MEMORY_ELEMENTS:,}"


def _lane_problems(of: Type, lanes: object) -> Iterator[str]:
    """A register layout has as many lanes as the module's warps (verifyTensorLayout of the TritonGPU dialect)."""
    encoding = of.encoding if isinstance(of, TensorType) else None
    while isinstance(encoding, e.SliceEncoding | e.DotOperandEncoding):
        encoding = encoding.parent
    match encoding:
        case e.BlockedEncoding(threads_per_warp=threads):
            found = prod(threads)
        case e.LinearEncoding(lane=lane):
            found = 1 << len(lane)
        case _:
            return
    if isinstance(lanes, int) and found != lanes:
        yield f"a layout of {found} lanes where a warp has {lanes}"


def _factors(encoding: Encoding) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """Fields that multiply, with the most that their product may be."""
    match encoding:
        case e.BlockedEncoding(registers, lanes, warps):
            yield "sizePerThread", registers, MOST_ELEMENTS
            yield "threadsPerWarp", lanes, _MOST_LANES
            yield "warpsPerCTA", warps, _MOST_LANES
        case e.NvidiaMmaEncoding(warps_per_cta=warps, instr_shape=shape):
            yield "warpsPerCTA", warps, _MOST_LANES
            yield "instrShape", shape, MOST_ELEMENTS
        case e.AmdMfmaEncoding(warps_per_cta=warps, instr_shape=shape, tiles_per_warp=tiles):
            yield "warpsPerCTA", warps, _MOST_LANES
            yield "instrShape", shape, MOST_ELEMENTS
            yield "tilesPerWarp", tiles, MOST_ELEMENTS
        case e.AmdWmmaEncoding(instr_shape=shape):
            yield "instrShape", shape, MOST_ELEMENTS
        case e.SwizzledSharedEncoding(vec, per_phase, max_phase) | e.AmdRotatingSharedEncoding(
            vec, per_phase, max_phase
        ):
            yield "vec, perPhase and maxPhase", (vec, per_phase, max_phase), MOST_MEMORY_ELEMENTS
        case e.PaddedSharedEncoding(intervals_pads=pairs):
            yield "intervals", tuple(interval for interval, _ in pairs), 1 << 64
            yield "pads", tuple(max(pad, 1) for _, pad in pairs), 1 << 64
        case e.TensorMemoryEncoding(rows, columns, stride):
            yield "blocks", (rows, columns, max(stride, 1)), MOST_MEMORY_ELEMENTS
        case e.PartitionedSharedEncoding(partitions, groups, inner=inner):
            yield "partitions and groups", (partitions, groups), _MOST_FACTOR
            yield from _factors(inner)
        case e.SliceEncoding(parent=parent) | e.DotOperandEncoding(parent=parent):
            yield from _factors(parent)
        case _:
            return


def _bases(encoding: Encoding) -> Iterator[e.Bases]:
    match encoding:
        case e.LinearEncoding(register, lane, warp, block):
            yield from (register, lane, warp, block)
        case e.AmdWmmaEncoding(register=register, warp=warp, cga=cga):
            yield from (register, warp, cga)
        case (
            e.PaddedSharedEncoding(offset=offset, block=block) | e.SharedLinearEncoding(offset=offset, block=block)
        ):
            yield from (offset, block)
        case e.SliceEncoding(parent=parent) | e.DotOperandEncoding(parent=parent):
            yield from _bases(parent)
        case e.PartitionedSharedEncoding(inner=inner):
            yield from _bases(inner)
        case _:
            cga = getattr(encoding, "cga", ())
            yield cga


def _by(numbers: Iterable[int]) -> str:
    return "x".join(_short(str(number)) for number in numbers)


def _short(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:20]}… ({len(text)} characters)"
