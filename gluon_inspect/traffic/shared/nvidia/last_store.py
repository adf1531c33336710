"""The kernel's last store or scalar atomic, and loads that only it needs: they run where it has an active lane.

The assembler turns the predicate of the last store into an exit and moves the loads that feed this one
instruction behind it (seen on an H200 wherever the store's lanes hold copies or are masked off; Triton
3.6). ldmatrix stays, since it needs the whole warp, and so do loads that are packed into a word first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from gluon_inspect.errors import LayoutError
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import operand, row_of, tt, ttg
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.types import TensorType, element_bits
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.placement import first_holders
from gluon_inspect.traffic.shared.memory_layout import register_layout
from gluon_inspect.traffic.shared.nvidia.banks import Mask
from gluon_inspect.traffic.shared.steps import Step
from gluon_inspect.traffic.shared.transfer import Transfer

_WORD_BITS = 32


@dataclass(frozen=True, slots=True)
class LastStore:
    """The last store of a kernel: its tensor's layout, elements a lane an instruction, and the part of

    all executions in which it has an active lane beyond what copies explain (masks).
    """

    layout: LinearLayout
    vector: int
    element_bits: int
    share: float = 1.0

    @property
    def is_predicated(self) -> bool:
        """Whether some lanes or warps do not execute it."""
        return self.share < 1 or bool(self.layout.free_variables("lane") or self.layout.free_variables("warp"))

    def active(self) -> Mask:
        """Lanes that store, shape (warps, lanes): those that hold the first copy of their elements."""
        warps, lanes = (first_holders(self.layout, name) for name in ("warp", "lane"))
        return warps[:, None] & lanes[None, :]


def sunk(step: Step, last: LastStore) -> tuple[Step, ...]:
    """A load as it runs when `last` alone uses its values: instructions left in place, and those that sink."""
    transfer = step.transfer
    if step.store or not isinstance(transfer, Transfer) or transfer.mnemonic != "LDS" or not last.is_predicated:
        return (step,)
    behind = _behind(transfer, last)
    if not behind.any():
        return (step,)
    mask = np.broadcast_to(last.active(), (int(behind.sum()), *transfer.addresses.shape[1:]))
    moved = Step(False, _part(transfer, behind, mask), 1, last.share)
    rest = [Step(False, _part(transfer, ~behind, None), 1)] if not behind.all() else []
    repeated = [replace(step, times=step.times - 1)] if step.times > 1 else []
    return (*repeated, *rest, moved)


def in_one_thread(step: Step) -> tuple[Step, ...]:
    """A load of one value by every thread as it runs when a last scalar atomic alone uses it: where that runs.

    All but the one thread leave before it. Loads that lanes exchange afterwards (Triton 3.7 on) need them all.
    """
    transfer = step.transfer
    if step.store or not isinstance(transfer, Transfer) or not _is_one_value(transfer) or step.times != 1:
        return (step,)
    active = np.zeros(transfer.addresses.shape, dtype=bool)
    active[0, 0, 0] = True
    return (replace(step, transfer=replace(transfer, active=active)),)


def _is_one_value(transfer: Transfer) -> bool:
    return transfer.instructions == 1 and transfer.active is None and len(np.unique(transfer.addresses)) == 1


def _behind(transfer: Transfer, last: LastStore) -> Mask:
    """Which instructions move only registers of the last store's last instruction."""
    count = transfer.instructions
    own = set(range(last.vector.bit_length() - 1))
    packed = transfer.bits < min(_WORD_BITS, last.vector * last.element_bits)
    if transfer.inner is None or packed or not own.issuperset(transfer.inner):
        return np.zeros(count, dtype=bool)
    numbers = np.arange(count, dtype=np.int64)
    wanted = sum(1 << i for i, place in enumerate(transfer.outer) if place not in own)
    return (numbers & wanted) == wanted


def _part(transfer: Transfer, chosen: Mask, active: Mask | None) -> Transfer:
    return replace(transfer, addresses=transfer.addresses[chosen], active=active, inner=None, outer=())


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
    return value in op.results and tuple(structure.users.get(op.results[0].index, ())) == (atomic,)


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
