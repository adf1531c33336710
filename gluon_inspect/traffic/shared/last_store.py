"""The kernel's last store or scalar atomic, and which values serve nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gluon_inspect.errors import LayoutError
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import operand, row_of, tt, ttg
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.types import TensorType, element_bits
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.shared.memory_layout import register_layout
from gluon_inspect.traffic.shared.sinking import LastStore


@dataclass(frozen=True, slots=True)
class Found:
    """The last store as an operation and as a predicate; `store` None: a scalar atomic, which one thread does."""

    op: Operation
    store: LastStore | None


def find_last_store(
    module: Module,
    structure: Graph,
    accesses: Mapping[int, GlobalAccess],
    scale: float,
    executions: Callable[[Operation], int | None],
) -> Found | None:
    """The tt.store of a tensor, or the scalar atomic without a used result, after which a function only returns.

    None where the last thing that the function does is something else.
    """
    functions = module.functions
    if len(functions) != 1:
        return None
    block = functions[0].regions[0].blocks[0]
    op = next((op for op in reversed(block.operations) if _has_effect(op)), None)
    if op is not None and _is_scalar_atomic(op, structure):
        return Found(op, None)
    if op is None or row_of(op) is not tt.STORE:
        return None
    value = operand(op, "value")
    if value is None or not isinstance(value.type, TensorType):
        return None
    try:
        layout = register_layout(value.type)
    except LayoutError:
        return None
    access = accesses.get(op.span.start)
    vector = 1 if access is None else access.vector
    known = access is not None and not access.tally.unknown
    requests = round(access.tally.traffic.requests * scale) if access is not None and known else None
    share = _share(layout, vector, requests, executions(op), structure.ctas)
    return Found(op, LastStore(layout, vector, element_bits(value.type) or 32, share))


def _has_effect(op: Operation) -> bool:
    if row_of(op).kind is OperationKind.GLOBAL_ATOMIC:
        return True
    return not op.results and row_of(op) not in (tt.RETURN, ttg.LOCAL_DEALLOC)


def _is_scalar_atomic(op: Operation, structure: Graph) -> bool:
    if row_of(op) is not tt.ATOMIC_RMW or any(structure.users.get(result.index) for result in op.results):
        return False
    return not any(isinstance(value.type, TensorType) for value in op.operands)


def directly_feeds(op: Operation, atomic: Operation, structure: Graph) -> bool:
    """Whether an operation's one result is the value of that atomic and nothing else."""
    value = operand(atomic, "val")
    if structure.parents.get(op) is not structure.parents.get(atomic) or len(op.results) != 1:
        return False
    return value in op.results and structure.users.get(op.results[0].index) == (atomic,)


def _share(layout: LinearLayout, vector: int, requests: int | None, executions: int | None, ctas: int) -> float:
    """The part of the requests that its masks leave, of those that the first holders would make."""
    if requests is None or not executions:
        return 1.0
    registers = 1 << sum(1 for basis in layout.bases.get("register", ()) if any(basis))
    warps = layout.size("warp") // layout.copies("warp")
    expected = max(registers // vector, 1) * warps * executions * ctas
    return min(requests / expected, 1.0)


def only_feeds(op: Operation, store: Operation, structure: Graph) -> bool:
    """Whether an operation's results reach nothing but the value of that store, element by element."""
    if structure.parents.get(op) is not structure.parents.get(store):
        return False
    pending = [result.index for result in op.results]
    value = operand(store, "value")
    if len(pending) != 1 or value is None:
        return False
    while pending:
        at = pending.pop()
        for user in structure.users.get(at, ()):
            if user is store:
                if at != value.index:
                    return False
            elif row_of(user).elementwise and len(user.results) == 1:
                pending.append(user.results[0].index)
            else:
                return False
    return True
