"""Floating-point operations of a launch's matrix products, from shapes and executions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod

from gluon_inspect.ir.operations import row_of, tt
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import MemDescType, TensorType


def matrix_flops(operations: Iterable[Operation], executions: Callable[[Operation], int | None]) -> int | None:
    """Two for each multiply-add of every matrix product; 0 without one, None where shapes or trips are unknown."""
    total = 0
    for op in operations:
        if row_of(op).kind is not OperationKind.MMA:
            continue
        each, times = _product(op), executions(op)
        if each is None or times is None:
            return None
        total += each * times
    return total


def _product(op: Operation) -> int | None:
    """2 x M x N x K of one product of (batch x M x K) by (batch x K x N)."""
    shapes = [of.shape for value in op.operands[:2] if isinstance(of := value.type, TensorType | MemDescType)]
    if len(shapes) < 2 or min(map(len, shapes)) < 2 or row_of(op) is tt.DOT_SCALED:
        return None
    left, right = shapes
    return 2 * prod(left) * right[-1]
