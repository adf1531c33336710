"""What operations require of their operands and results: counts, like shapes, kinds of elements.

A row names its requirements in order; the first that is not met is told. An operand whose type is not known fits
everywhere. After the traits and verifiers of Triton 3.6 to 3.9 and of MLIR's arith, math and scf dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from gluon_inspect.ir.operations.operands import operand
from gluon_inspect.model.mlir import Operation, Value
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
ANY: Final = 1 << 30
"""As many operands as one likes."""


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
    return f"{least} or more" if most == ANY else f"{least} to {most}"


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
    """Tensors among operands and results have one shape; beside them is no opaque type, from them come tensors."""
    given = [value.type.shape for value in operation.operands if isinstance(value.type, TensorType)]
    if given and any(isinstance(value.type, OpaqueType) and value.type.text for value in operation.operands):
        yield f"{operation.name} of tensors and another type"
        return
    for result in operation.results if given else ():
        if not isinstance(result.type, TensorType):
            yield f"{operation.name} of tensors gives {named(result.type)}"
            return
        given.append(result.type.shape)
    if len(shapes := dict.fromkeys(given)) > 1:
        yield f"{operation.name} on tensors of different shapes: {', '.join(map(by, shapes))}"


def same_elements(operation: Operation) -> Iterator[str]:
    """Operands have one type of element."""
    elements = dict.fromkeys(element_of(value.type) for value in operation.operands if is_known(value))
    if len(elements) > 1:
        yield f"{operation.name} on different types: {', '.join(map(named, elements))}"


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
                yield f"{operation.name}: {name} has the shape {by(shape)}, {first} {by(wanted or ())}"

    return check


def pointer_first(operation: Operation) -> Iterator[str]:
    """The first operand is a pointer, or a tensor of pointers."""
    first = operation.operands[0].type
    element = first.element if isinstance(first, TensorType) else first
    if not isinstance(element, PointerType | OpaqueType):
        yield f"{operation.name} needs pointers, not {named(element)}"


def integer(place: int) -> Constraint:
    """An operand is an integer, or a tensor of them."""

    def check(operation: Operation) -> Iterator[str]:
        element = element_of(operation.operands[place].type)
        if isinstance(element, PointerType) or (isinstance(element, ScalarType) and element.is_float):
            yield f"{operation.name} needs integers, not {named(element)}"

    return check


def memory_like(memory: int, values: int | None) -> Constraint:
    """A view of memory and a tensor have one shape. `values` None: the result."""

    def check(operation: Operation) -> Iterator[str]:
        if values is None and not operation.results:
            return
        tensor = operation.results[0].type if values is None else operation.operands[values].type
        view = operation.operands[memory].type
        if not isinstance(view, MemDescType | OpaqueType):
            yield f"{operation.name} needs a view of memory, not {named(view)}"
        elif isinstance(tensor, TensorType) and isinstance(view, MemDescType) and tensor.shape != view.shape:
            yield f"{operation.name}: a tensor of {by(tensor.shape)}, memory of {by(view.shape)}"

    return check


def is_known(value: Value) -> bool:
    """Whether the type of what it holds is understood."""
    return not isinstance(element_of(value.type), OpaqueType)


def by(shape: Shape) -> str:
    """Extents in an error."""
    return "x".join(short(size) for size in shape) or "a scalar"


def short(value: object) -> str:
    """A value in an error, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 24 else f"{text[:20]}…"


def named(of: Type) -> str:
    """A type in an error, in a word."""
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
