"""Which values feed an address, a mask, a bound or a branch: everything else need not be evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gluon_inspect.ir.operations import (
    predicate,
    row_of,
    scf,
    tt,
)
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.model.mlir import Block, Operation, Value
from gluon_inspect.model.types import PointerType, ScalarType, TensorType, Type


def is_integral(of: Type) -> bool:
    """Whether a value of this type can be part of an address, mask or bound."""
    inner = of.element if isinstance(of, TensorType) else of
    return isinstance(inner, PointerType) or (isinstance(inner, ScalarType) and not inner.is_float)


def needed_values(function: Operation, is_access: Callable[[Operation], bool]) -> frozenset[int]:
    """Indices of the values that the accesses and the control flow of a function depend on."""
    found = _Slice(is_access)
    while True:
        before = len(found.needed)
        for region in function.regions:
            for block in reversed(region.blocks):
                found.block(block)
        if len(found.needed) == before:
            return frozenset(found.needed)


class _Slice:
    def __init__(self, is_access: Callable[[Operation], bool]) -> None:
        self.needed: set[int] = set()
        self._is_access = is_access

    def _need(self, values: Iterable[Value]) -> None:
        self.needed.update(value.index for value in values if is_integral(value.type))

    def _wanted(self, value: Value) -> bool:
        return value.index in self.needed

    def block(self, block: Block) -> None:
        for op in reversed(block.operations):
            self._operation(op)

    def _operation(self, op: Operation) -> None:
        if row_of(op) is scf.FOR:
            self._for(op)
        elif row_of(op) is scf.IF:
            self._need(op.operands[:1])
            self._through_yields(op, op.results)
        elif op.regions or op.successors or row_of(op) is tt.RETURN or row_of(op).kind is OperationKind.CALL:
            # while loops, partitions, branches and calls: everything that enters or leaves them
            self._need(op.operands)
            for _label, values in op.successors:
                self._need(values)
            for ending in _endings(op):
                self._need(ending.operands)
        elif self._is_access(op) or any(self._wanted(result) for result in op.results):
            self._need(op.operands)
        elif (condition := predicate(op)) is not None:
            self._need((condition,))
        for region in op.regions:
            for block in reversed(region.blocks):
                self.block(block)

    def _for(self, op: Operation) -> None:
        self._need(op.operands[:3])
        carried = op.regions[0].blocks[0].arguments[1:]
        for argument, initial, result in zip(carried, op.operands[3:], op.results, strict=False):
            if self._wanted(result) or self._wanted(argument):
                self._need((initial, argument))
        self._through_yields(op, carried)

    def _through_yields(self, op: Operation, targets: Iterable[Value]) -> None:
        for region in op.regions:
            for block in region.blocks:
                if block.operations and row_of(block.operations[-1]) is scf.YIELD:
                    for target, value in zip(targets, block.operations[-1].operands, strict=False):
                        if self._wanted(target):
                            self._need((value,))


def _endings(op: Operation) -> Iterable[Operation]:
    """What ends the blocks of an operation's own regions; loops and branches further in say for themselves."""
    blocks = (block for region in op.regions for block in region.blocks if block.operations)
    return (block.operations[-1] for block in blocks if row_of(block.operations[-1]).hands_over)
