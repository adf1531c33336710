"""Operations that take effect only where their predicate holds, and that are no access to global memory."""

from __future__ import annotations

from gluon_inspect.ir.operations.global_memory import operand
from gluon_inspect.model.mlir import Operation, Value

_NAMES = frozenset({"ttng.tc_gen5_mma", "ttng.tc_gen5_mma_scaled", "ttng.tmem_store"})


def predicate(op: Operation) -> Value | None:
    """The predicate of such an operation; None where it is none, or has none."""
    return operand(op, "pred") if op.name in _NAMES else None
