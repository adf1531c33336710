"""Loads that only the kernel's last store needs: they run only where that store has an active lane.

The assembler turns the predicate of the last store into an exit and moves the loads that feed this one
instruction behind it (seen on an H200 wherever the store's lanes hold copies or are masked off; Triton
3.6). ldmatrix stays, since it needs the whole warp, and so do loads that are packed into a word first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.traffic.shared.banks import Mask
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


def first_holders(layout: LinearLayout, name: str) -> Mask:
    """Which values of "lane" or "warp" hold the first copy of their elements."""
    values = np.arange(layout.size(name), dtype=np.int64)
    return (values & layout.free_variables(name)) == 0


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
