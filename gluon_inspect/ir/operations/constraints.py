"""What operations require of their operands and results, one entry a name: counts, shapes, kinds of elements.

An operand whose type is not known fits everywhere. After the traits and verifiers of Triton 3.6 to 3.9 and of
MLIR's arith, math and scf dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Final

from gluon_inspect.ir.operations import lookup, operand
from gluon_inspect.model.mlir import DenseElements, Operation, Value
from gluon_inspect.model.types import (
    DescriptorType,
    MemDescType,
    OpaqueType,
    PointerType,
    ScalarType,
    TensorType,
    Type,
)

Constraint = Callable[[Operation], Iterator[str]]
Shape = tuple[int, ...]
_ANY: Final = 1 << 30


def count(least: int, most: int | None = None) -> Constraint:
    """So many operands (`most` None: exactly `least`)."""
    upper = least if most is None else most

    def check(operation: Operation) -> Iterator[str]:
        given = len(operation.operands)
        if not least <= given <= upper:
            wanted = _range(least, upper)
            yield f"{operation.name} takes {wanted} operand{'s' * (wanted != '1')}, not {given}"

    return check


def gives(least: int, most: int) -> Constraint:
    """So many results."""

    def check(operation: Operation) -> Iterator[str]:
        given = len(operation.results)
        if not least <= given <= most:
            yield f"{operation.name} gives {_range(least, most)} results, not {given}"

    return check


def _range(least: int, most: int) -> str:
    if least == most:
        return str(least)
    return f"{least} or more" if most == _ANY else f"{least} to {most}"


def shape_of(of: Type) -> Shape | None:
    """The extents of a tensor or a view, () for a scalar or pointer; None where the type is not known."""
    match of:
        case TensorType(shape) | MemDescType(shape) | DescriptorType(shape=shape):
            return shape
        case ScalarType() | PointerType():
            return ()
        case _:
            return None


def element_of(of: Type) -> Type:
    """What a tensor holds, a scalar itself."""
    return of.element if isinstance(of, TensorType | MemDescType | DescriptorType) else of


def same_shapes(operation: Operation) -> Iterator[str]:
    """Tensors among operands and results have one shape; from tensors come tensors."""
    given = [value.type.shape for value in operation.operands if isinstance(value.type, TensorType)]
    for result in operation.results if given else ():
        if not isinstance(result.type, TensorType):
            yield f"{operation.name} of tensors gives {_named(result.type)}"
            return
        given.append(result.type.shape)
    if len(shapes := dict.fromkeys(given)) > 1:
        yield f"{operation.name} on tensors of different shapes: {', '.join(map(_by, shapes))}"


def same_elements(operation: Operation) -> Iterator[str]:
    """Operands have one type of element."""
    elements = dict.fromkeys(element_of(value.type) for value in operation.operands if _is_known(value))
    if len(elements) > 1:
        yield f"{operation.name} on different types: {', '.join(map(_named, elements))}"


def all_tensors_or_none(operation: Operation) -> Iterator[str]:
    """Operands are all tensors, or none is."""
    known = [isinstance(value.type, TensorType) for value in operation.operands if _is_known(value)]
    if known and any(known) != all(known):
        yield f"{operation.name} mixes tensors and scalars"


def roles_like(first: str, *others: str) -> Constraint:
    """Operands of some roles have the shape of the first role's."""

    def check(operation: Operation) -> Iterator[str]:
        leading = operand(operation, first)
        if leading is None or shape_of(leading.type) is None:
            return
        wanted = shape_of(leading.type)
        for name in others:
            value = operand(operation, name)
            shape = None if value is None else shape_of(value.type)
            if shape is not None and shape != wanted:
                yield f"{operation.name}: {name} has the shape {_by(shape)}, {first} {_by(wanted or ())}"

    return check


def pointer_first(operation: Operation) -> Iterator[str]:
    """The first operand is a pointer, or a tensor of pointers."""
    first = operation.operands[0].type
    element = first.element if isinstance(first, TensorType) else first
    if not isinstance(element, PointerType | OpaqueType):
        yield f"{operation.name} needs pointers, not {_named(element)}"


def integer(place: int) -> Constraint:
    """An operand is an integer, or a tensor of them."""

    def check(operation: Operation) -> Iterator[str]:
        element = element_of(operation.operands[place].type)
        if isinstance(element, PointerType) or (isinstance(element, ScalarType) and element.is_float):
            yield f"{operation.name} needs integers, not {_named(element)}"

    return check


def make_range(operation: Operation) -> Iterator[str]:
    """One dimension, of as many elements as the range has numbers."""
    start, end = operation.attributes.get("start"), operation.attributes.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        yield "tt.make_range needs a start and an end"
        return
    for shape in _result_shapes(operation):
        if shape != (end - start,):
            yield f"tt.make_range from {_short(start)} to {_short(end)} is no tensor of {_by(shape)}"


def splat(operation: Operation) -> Iterator[str]:
    """A scalar becomes a tensor of its type."""
    (value,) = operation.operands
    result = operation.results[0].type
    if isinstance(value.type, TensorType) and value.type.shape:
        yield "tt.splat of a tensor"
    elif isinstance(result, TensorType) and _is_known(value) and element_of(value.type) != result.element:
        yield f"tt.splat of {_named(value.type)} into a tensor of {_named(result.element)}"
    elif isinstance(result, ScalarType | PointerType):
        yield f"tt.splat into {_named(result)}, which is no tensor"


def expand_dims(operation: Operation) -> Iterator[str]:
    """A dimension of one element is put in at `axis`."""
    axis = operation.attributes.get("axis")
    for given, made in _shapes(operation):
        if not isinstance(axis, int) or not 0 <= axis <= len(given):
            yield f"tt.expand_dims at dimension {_short(axis)} of {_by(given)}"
        elif made != (*given[:axis], 1, *given[axis:]):
            yield f"tt.expand_dims of {_by(given)} at {axis} is not {_by(made)}"


def broadcast(operation: Operation) -> Iterator[str]:
    """Dimensions of one element are repeated, the others stay."""
    for given, made in _shapes(operation):
        if len(given) != len(made) or any(old not in (1, new) for old, new in zip(given, made, strict=True)):
            yield f"tt.broadcast of {_by(given)} is not {_by(made)}"


def same_numel(operation: Operation) -> Iterator[str]:
    """As many elements after as before."""
    for given, made in _shapes(operation):
        if prod(given) != prod(made):
            yield f"{operation.name} of {_by(given)} is not {_by(made)}"


def transposed(operation: Operation) -> Iterator[str]:
    """The dimensions in another order."""
    order = operation.attributes.get("order")
    for given, made in _shapes(operation):
        if not isinstance(order, tuple) or sorted(order, key=repr) != sorted(range(len(given)), key=repr):
            if order is not None:
                yield f"{operation.name} of {_by(given)} with an order that is none"
        elif made != tuple(given[place] for place in order if isinstance(place, int)):
            yield f"{operation.name} of {_by(given)} is not {_by(made)}"


def joined(operation: Operation) -> Iterator[str]:
    """Two like tensors along a new last dimension."""
    for given, made in _shapes(operation):
        if made != (*given, 2):
            yield f"tt.join of {_by(given)} is not {_by(made)}"


def split(operation: Operation) -> Iterator[str]:
    """The last dimension, of two, taken apart."""
    for given, made in _shapes(operation):
        if given != (*made, 2):
            yield f"tt.split of {_by(given)} is not {_by(made)}"


def concatenated(operation: Operation) -> Iterator[str]:
    """As many elements as both together."""
    for given, made in _shapes(operation):
        if prod(made) != 2 * prod(given):
            yield f"tt.cat of {_by(given)} is not {_by(made)}"


def axis_of_first(operation: Operation) -> Iterator[str]:
    """`axis` is a dimension of the operands."""
    axis = operation.attributes.get("axis")
    for value in operation.operands:
        if not isinstance(value.type, TensorType):
            continue
        if not isinstance(axis, int) or not 0 <= axis < len(value.type.shape):
            yield f"{operation.name} along dimension {_short(axis)} of {_by(value.type.shape)}"


def reduced(operation: Operation) -> Iterator[str]:
    """The results lack the dimension `axis`."""
    axis = operation.attributes.get("axis")
    for given, made in _shapes(operation):
        if isinstance(axis, int) and made != (*given[:axis], *given[axis + 1 :]):
            yield f"{operation.name} of {_by(given)} along {axis} is not {_by(made)}"


def dot(operation: Operation) -> Iterator[str]:
    """MxK by KxN into MxN, a batch in front where there is one."""
    a, b, c = (shape_of(value.type) for value in operation.operands[:3])
    if a is None or b is None or c is None:
        return
    if not len(a) == len(b) == len(c) or len(a) < 2 or a[-1] != b[-2] or a[-2] != c[-2] or b[-1] != c[-1]:
        yield f"{operation.name} of {_by(a)} by {_by(b)} into {_by(c)}"


def memory_like(memory: int, values: int | None) -> Constraint:
    """A view of memory and a tensor have one shape. `values` None: the result."""

    def check(operation: Operation) -> Iterator[str]:
        if values is None and not operation.results:
            return
        tensor = operation.results[0].type if values is None else operation.operands[values].type
        view = operation.operands[memory].type
        if not isinstance(view, MemDescType | OpaqueType):
            yield f"{operation.name} needs a view of memory, not {_named(view)}"
        elif isinstance(tensor, TensorType) and isinstance(view, MemDescType) and tensor.shape != view.shape:
            yield f"{operation.name}: a tensor of {_by(tensor.shape)}, memory of {_by(view.shape)}"

    return check


def allocated(operation: Operation) -> Iterator[str]:
    """What it is filled with has its shape."""
    for value in operation.operands:
        for shape in _result_shapes(operation):
            given = shape_of(value.type)
            if given is not None and given != shape:
                yield f"{operation.name} of {_by(shape)} from a tensor of {_by(given)}"


def constant(operation: Operation) -> Iterator[str]:
    """A dense constant has one value, or one for each element."""
    value = operation.attributes.get("value")
    if isinstance(value, DenseElements) and isinstance(value.type, TensorType) and not value.is_splat:
        elements = prod(value.type.shape)
        if len(value.values) not in (1, elements):
            yield f"a constant of {_by(value.type.shape)} with {len(value.values)} values"


def loop(operation: Operation) -> Iterator[str]:
    """Bounds and step, then a value for each result, of the same type."""
    carried = operation.operands[3:]
    bounds = {element_of(value.type) for value in operation.operands[:3] if _is_known(value)}
    if any(isinstance(of, PointerType) or (isinstance(of, ScalarType) and of.is_float) for of in bounds):
        yield "scf.for needs integer bounds"
    if operation.results and len(operation.results) != len(carried):
        yield f"scf.for carries {len(carried)} values and gives {len(operation.results)}"
    for block in (block for region in operation.regions for block in region.blocks):
        if len(block.arguments) != 1 + len(carried):
            yield f"scf.for carries {len(carried)} values, its body takes {len(block.arguments) - 1}"
        yielded = block.operations[-1] if block.operations else None
        if yielded is not None and yielded.name == "scf.yield" and len(yielded.operands) != len(carried):
            yield f"scf.for carries {len(carried)} values, its body yields {len(yielded.operands)}"


def branches(operation: Operation) -> Iterator[str]:
    """Every branch yields a value for each result."""
    for region in operation.regions:
        last = region.blocks[-1].operations[-1] if region.blocks and region.blocks[-1].operations else None
        if last is None or last.name != "scf.yield":
            continue
        if operation.results and len(last.operands) != len(operation.results):
            yield f"scf.if gives {len(operation.results)} values, a branch yields {len(last.operands)}"


def _shapes(operation: Operation) -> Iterator[tuple[Shape, Shape]]:
    """The first operand's extents with the first result's, where both are known."""
    if operation.operands and operation.results:
        given, made = shape_of(operation.operands[0].type), shape_of(operation.results[0].type)
        if given is not None and made is not None:
            yield given, made


def _result_shapes(operation: Operation) -> Iterator[Shape]:
    for result in operation.results[:1]:
        shape = shape_of(result.type)
        if shape is not None:
            yield shape


def _is_known(value: Value) -> bool:
    return not isinstance(element_of(value.type), OpaqueType)


def _by(shape: Shape) -> str:
    return "x".join(_short(size) for size in shape) or "a scalar"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 24 else f"{text[:20]}…"


def _named(of: Type) -> str:
    match of:
        case ScalarType(name):
            return name[:24]
        case PointerType():
            return "a pointer"
        case TensorType():
            return "a tensor"
        case MemDescType():
            return "a view of memory"
        case _:
            return "another type"


def _entries() -> Iterator[tuple[str, tuple[Constraint, ...]]]:
    like = (same_shapes,)
    unary = "negf extsi extui trunci extf truncf sitofp uitofp fptosi fptoui index_cast index_castui bitcast"
    binary = """addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi andi ori xori shli shrsi
        shrui maxsi maxui minsi minui addf subf mulf divf remf maximumf minimumf maxnumf minnumf cmpi cmpf"""
    functions = """absf absi acos acosh asin asinh atan atanh cbrt ceil cos cosh ctlz cttz ctpop erf erfc exp exp2
        expm1 floor isfinite isinf isnan isnormal log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh
        trunc"""
    yield from ((f"arith.{name}", (count(1), gives(1, 1), *like)) for name in unary.split())
    yield from ((f"arith.{name}", (count(2), gives(1, 1), *like, same_elements)) for name in binary.split())
    yield from ((f"math.{name}", (count(1), gives(1, 1), *like)) for name in functions.split())
    yield from ((f"math.{name}", (count(2), *like)) for name in ["atan2", "copysign", "fpowi", "ipowi", "powf"])
    yield "math.fma", (count(3), *like, same_elements)
    yield "arith.select", (count(3), gives(1, 1), *like)
    yield "arith.constant", (count(0), gives(0, 1), constant)
    yield from (
        (f"tt.{name}", (count(1), *like))
        for name in ["int_to_ptr", "ptr_to_int", "bitcast", "fp_to_fp", "precise_sqrt"]
    )
    yield from ((f"tt.{name}", (count(2), *like)) for name in ["mulhiui", "precise_divf", "approx_divf"])
    yield "tt.clampf", (count(3), *like)
    yield "tt.addptr", (count(2), pointer_first, integer(1), *like)
    yield "tt.make_range", (count(0), make_range)
    yield "tt.splat", (count(1), gives(1, 1), splat)
    yield "tt.unsplat", (count(1),)
    yield "tt.expand_dims", (count(1), gives(1, 1), expand_dims)
    yield "tt.broadcast", (count(1), gives(1, 1), broadcast)
    yield "tt.reshape", (count(1), gives(1, 1), same_numel)
    yield "tt.trans", (count(1), gives(1, 1), transposed)
    yield "tt.cat", (count(2), gives(1, 1), concatenated)
    yield "tt.join", (count(2), gives(1, 1), joined)
    yield "tt.split", (count(1), split)
    yield "tt.get_program_id", (count(0),)
    yield "tt.get_num_programs", (count(0),)
    yield "tt.load", (count(1, 3), gives(0, 1), pointer_first, roles_like("ptr", "mask", "other"), *like)
    yield "tt.store", (count(2, 3), gives(0, 0), pointer_first, roles_like("ptr", "value", "mask"))
    yield "tt.atomic_rmw", (count(2, 3), pointer_first, roles_like("ptr", "val", "mask"), *like)
    yield "tt.atomic_cas", (count(3), pointer_first, roles_like("ptr", "cmp", "val"), *like)
    yield "tt.reduce", (count(1, _ANY), axis_of_first, reduced)
    yield "tt.scan", (count(1, _ANY), axis_of_first, *like)
    yield "tt.dot", (count(3), gives(1, 1), dot)
    yield "ttng.warp_group_dot", (count(3, 4), dot)
    yield "ttg.convert_layout", (count(1), gives(1, 1), *like)
    yield "ttg.local_alloc", (count(0, 1), allocated)
    yield "ttg.local_load", (count(1, 2), gives(0, 1), memory_like(0, None))
    yield "ttg.local_store", (count(2), memory_like(1, 0))
    yield "ttng.tmem_alloc", (count(0, 1),)
    yield "ttng.tmem_load", (count(1, 2), memory_like(0, None))
    yield "ttg.memdesc_index", (count(1, 2), gives(1, 1))
    yield "ttg.memdesc_trans", (count(1), gives(1, 1), transposed)
    yield "ttg.memdesc_reshape", (count(1), gives(1, 1), same_numel)
    yield "ttg.async_copy_global_to_local", (count(2, 4), pointer_first, roles_like("src", "mask", "other"))
    yield "scf.for", (count(3, _ANY), loop)
    yield "scf.if", (count(1), branches)


CONSTRAINTS: Final[Mapping[str, tuple[Constraint, ...]]] = dict(_entries())
"""By the operations' names of today; one whose count of operands is wrong is looked at no further."""

assert all(lookup(name) is not None for name in CONSTRAINTS)
