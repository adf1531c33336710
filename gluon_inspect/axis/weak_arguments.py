"""Which kernel arguments are to blame for an address of unknown divisibility or a mask in short runs."""

from __future__ import annotations

from gluon_inspect.axis.analysis import AxisAnalysis
from gluon_inspect.axis.information import AxisInfo
from gluon_inspect.ir.operations import (
    row_of,
    scf,
    tt,
)
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.ir.slices import is_integral
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.types import PointerType, TensorType, Type


class Definitions:
    """Who defines each value of a function, loop arguments by their initial values."""

    def __init__(self, function: Operation) -> None:
        self._operations: dict[int, Operation] = {}
        self._aliases: dict[int, Value] = {}
        self.arguments: dict[int, Value] = {}
        if function.regions:
            self.arguments = {value.index: value for value in function.regions[0].blocks[0].arguments}
        for op in function.walk():
            for result in op.results:
                self._operations[result.index] = op
            if row_of(op) is scf.FOR and op.regions:
                inside = op.regions[0].blocks[0].arguments[1:]
                for argument, initial in zip(inside, op.operands[3:], strict=False):
                    self._aliases[argument.index] = initial

    def maker(self, value: Value) -> Operation | None:
        """The operation that makes a value; None for arguments."""
        return self._operations.get(value.index)

    def pointers_behind(self, value: Value) -> tuple[Value, ...]:
        """The pointer arguments of the function that a pointer, or a tensor of them, is computed from."""
        found: dict[int, Value] = {}
        seen: set[int] = set()
        stack = [value]
        while stack:
            current = stack.pop()
            if current.index in seen or not _is_pointer(current.type):
                continue
            seen.add(current.index)
            if current.index in self.arguments:
                found[current.index] = current
            stack.extend(self.sources(current))
        return tuple(found[index] for index in sorted(found))

    def is_gather(self, address: Value) -> bool:
        """Whether a tensor of addresses is computed from a tensor that is loaded from memory."""
        seen: set[int] = set()
        stack = [address]
        while stack:
            current = stack.pop()
            if current.index in seen or not isinstance(current.type, TensorType):
                continue
            seen.add(current.index)
            maker = self.maker(current)
            if maker is not None and (row_of(maker).reads_memory or row_of(maker) is tt.GATHER):
                return True
            stack.extend(self.sources(current))
        return False

    def sources(self, value: Value) -> list[Value]:
        """The values that a value is computed from."""
        if value.index in self._aliases:
            return [self._aliases[value.index]]
        op = self._operations.get(value.index)
        if op is None or row_of(op).reads_memory:
            return []
        return [operand for operand in op.operands if is_integral(operand.type)]


def weak_arguments(value: Value, definitions: Definitions, axis: AxisAnalysis, wanted: int) -> tuple[str, ...]:
    """Names of the kernel arguments behind `value` that are not known to be multiples of `wanted`.

    `wanted` in bytes for pointers and in elements for integers.
    """
    found: dict[int, str] = {}
    seen: set[int] = set()
    stack = [value]
    while stack:
        current = stack.pop()
        if current.index in seen:
            continue
        seen.add(current.index)
        if current.index in definitions.arguments:
            if _is_weak(current, axis[current], wanted):
                found[current.index] = argument_name(current)
            continue
        stack.extend(definitions.sources(current))
    return tuple(found[index] for index in sorted(found))


def _is_pointer(of: Type) -> bool:
    return isinstance(of.element if isinstance(of, TensorType) else of, PointerType)


def _is_weak(value: Value, info: AxisInfo, wanted: int) -> bool:
    needed = max(wanted, 16) if isinstance(value.type, PointerType) else wanted
    return info.divisibility[0] < needed
