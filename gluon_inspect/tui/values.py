"""The values of an operation that have a layout, most telling first. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.types import MemDescType, PointerType, TensorType, element_bits

_ACCESSES = ("load", "store", "atomic", "copy", "convert_layout", "dot", "mma")
_ADDRESS_BITS = 64


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A value with a layout. `start` is where its operation begins in the IR's text, in characters."""

    name: str
    operation: str
    shape: tuple[int, ...]
    encoding: Encoding
    element_bits: int
    start: int

    @property
    def title(self) -> str:
        """As in "%value 64x64, 32 bits, of tt.load"."""
        return f"{self.name} {'x'.join(map(str, self.shape))}, {self.element_bits} bits, of {self.operation}"

    @property
    def layout(self) -> str:
        """The layout in Gluon's syntax."""
        from gluon_inspect.layouts.gluon_syntax import write_layout

        return write_layout(self.encoding, self.shape)


def laid_out(operations: Iterable[Operation]) -> tuple[LaidOut, ...]:
    """Each value once a layout and shape: those of accesses before those of arithmetic."""
    found: dict[tuple[tuple[int, ...], Encoding, str], LaidOut] = {}
    for operation in sorted(operations, key=_rank):
        for value in _of(operation):
            found.setdefault((value.shape, value.encoding, value.name), value)
    return tuple(found.values())


def _rank(operation: Operation) -> int:
    return 0 if any(word in operation.name for word in _ACCESSES) else 1


def _of(operation: Operation) -> Iterator[LaidOut]:
    """Results first; what a store writes is its operands, addresses last."""
    values = [*operation.results, *operation.operands]
    for value in sorted(values, key=_is_address):
        if (shown := _shown(operation, value)) is not None:
            yield shown


def _is_address(value: Value) -> bool:
    return isinstance(value.type, TensorType) and isinstance(value.type.element, PointerType)


def _shown(operation: Operation, value: Value) -> LaidOut | None:
    match value.type:
        case TensorType(shape, element, encoding) | MemDescType(shape, element, encoding) if encoding is not None:
            bits = element_bits(element) or _ADDRESS_BITS
            name = value.name if value.name.startswith("%") else f"%{value.name}"
            return LaidOut(name, operation.name, shape, encoding, bits, operation.span.start)
        case _:
            return None
