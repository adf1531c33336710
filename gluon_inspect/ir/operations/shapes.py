"""What single operations require of the shapes that they take and give; `constraints` has what many share."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from gluon_inspect.ir.operations.constraints import Shape, by, element_of, is_known, named, shape_of, short
from gluon_inspect.model.mlir import DenseElements, Operation
from gluon_inspect.model.types import PointerType, ScalarType, TensorType


def make_range(operation: Operation) -> Iterator[str]:
    """One dimension, of as many elements as the range has numbers."""
    start, end = operation.attributes.get("start"), operation.attributes.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        yield "tt.make_range needs a start and an end"
        return
    for shape in _result_shapes(operation):
        if shape != (end - start,):
            yield f"tt.make_range from {short(start)} to {short(end)} is no tensor of {by(shape)}"


def splat(operation: Operation) -> Iterator[str]:
    """A scalar becomes a tensor of its type."""
    (value,) = operation.operands
    result = operation.results[0].type
    if isinstance(value.type, TensorType) and value.type.shape:
        yield "tt.splat of a tensor"
    elif isinstance(result, TensorType) and is_known(value) and element_of(value.type) != result.element:
        yield f"tt.splat of {named(value.type)} into a tensor of {named(result.element)}"
    elif isinstance(result, ScalarType | PointerType):
        yield f"tt.splat into {named(result)}, which is no tensor"


def expand_dims(operation: Operation) -> Iterator[str]:
    """A dimension of one element is put in at `axis`."""
    axis = operation.attributes.get("axis")
    for given, made in _shapes(operation):
        if not isinstance(axis, int) or not 0 <= axis <= len(given):
            yield f"tt.expand_dims at dimension {short(axis)} of {by(given)}"
        elif made != (*given[:axis], 1, *given[axis:]):
            yield f"tt.expand_dims of {by(given)} at {axis} is not {by(made)}"


def broadcast(operation: Operation) -> Iterator[str]:
    """Dimensions of one element are repeated, the others stay."""
    for given, made in _shapes(operation):
        if len(given) != len(made) or any(old not in (1, new) for old, new in zip(given, made, strict=True)):
            yield f"tt.broadcast of {by(given)} is not {by(made)}"


def same_numel(operation: Operation) -> Iterator[str]:
    """As many elements after as before."""
    for given, made in _shapes(operation):
        if prod(given) != prod(made):
            yield f"{operation.name} of {by(given)} is not {by(made)}"


def transposed(operation: Operation) -> Iterator[str]:
    """The dimensions in another order."""
    order = operation.attributes.get("order")
    for given, made in _shapes(operation):
        if not isinstance(order, tuple) or sorted(order, key=repr) != sorted(range(len(given)), key=repr):
            if order is not None:
                yield f"{operation.name} of {by(given)} with an order that is none"
        elif made != tuple(given[place] for place in order if isinstance(place, int)):
            yield f"{operation.name} of {by(given)} is not {by(made)}"


def joined(operation: Operation) -> Iterator[str]:
    """Two like tensors along a new last dimension."""
    for given, made in _shapes(operation):
        if made != (*given, 2):
            yield f"tt.join of {by(given)} is not {by(made)}"


def split(operation: Operation) -> Iterator[str]:
    """The last dimension, of two, taken apart."""
    for given, made in _shapes(operation):
        if given != (*made, 2):
            yield f"tt.split of {by(given)} is not {by(made)}"


def concatenated(operation: Operation) -> Iterator[str]:
    """As many elements as both together."""
    for given, made in _shapes(operation):
        if prod(made) != 2 * prod(given):
            yield f"tt.cat of {by(given)} is not {by(made)}"


def axis_of_first(operation: Operation) -> Iterator[str]:
    """`axis` is a dimension of the operands."""
    axis = operation.attributes.get("axis")
    for value in operation.operands:
        if not isinstance(value.type, TensorType):
            continue
        if not isinstance(axis, int) or not 0 <= axis < len(value.type.shape):
            yield f"{operation.name} along dimension {short(axis)} of {by(value.type.shape)}"


def reduced(operation: Operation) -> Iterator[str]:
    """The results lack the dimension `axis`."""
    axis = operation.attributes.get("axis")
    for given, made in _shapes(operation):
        if isinstance(axis, int) and made != (*given[:axis], *given[axis + 1 :]):
            yield f"{operation.name} of {by(given)} along {axis} is not {by(made)}"


def dot(operation: Operation) -> Iterator[str]:
    """MxK by KxN into MxN, a batch in front where there is one."""
    a, b, c = (shape_of(value.type) for value in operation.operands[:3])
    if a is None or b is None or c is None:
        return
    if not len(a) == len(b) == len(c) or len(a) < 2 or a[-1] != b[-2] or a[-2] != c[-2] or b[-1] != c[-1]:
        yield f"{operation.name} of {by(a)} by {by(b)} into {by(c)}"


def allocated(operation: Operation) -> Iterator[str]:
    """What it is filled with has its shape."""
    for value in operation.operands:
        for shape in _result_shapes(operation):
            given = shape_of(value.type)
            if given is not None and given != shape:
                yield f"{operation.name} of {by(shape)} from a tensor of {by(given)}"


def constant(operation: Operation) -> Iterator[str]:
    """A dense constant has one value, or one for each element."""
    value = operation.attributes.get("value")
    if isinstance(value, DenseElements) and isinstance(value.type, TensorType) and not value.is_splat:
        elements = prod(value.type.shape)
        if len(value.values) not in (1, elements):
            yield f"a constant of {by(value.type.shape)} with {len(value.values)} values"


def loop(operation: Operation) -> Iterator[str]:
    """Bounds and step, then a value for each result, of the same type."""
    carried = operation.operands[3:]
    bounds = {element_of(value.type) for value in operation.operands[:3] if is_known(value)}
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
