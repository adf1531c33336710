"""Expected times and registers of a kernel under other layouts."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from gluon_inspect.cost.model import Work, kernel_cost
from gluon_inspect.cost.registers import estimated_registers
from gluon_inspect.explaining.counterfactual import Trial, WhatIf
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.model.access import Access, Direction
from gluon_inspect.model.report import Occupancy

WORTHWHILE = 1.03
"""Predicted speedup below which a change is not proposed."""


def kernel_seconds(
    what_if: WhatIf,
    accesses: Sequence[Access],
    held: Occupancy | None = None,
    *,
    spill_bytes: int = 0,
    scratch_bytes: int = 0,
    barriers: int = 0,
    shared: Sequence[Access] | None = None,
) -> float | None:
    """The expected time of the launch with these accesses; None where their traffic is not known.

    `held`: CTAs an SM, where they differ from the report's; `spill_bytes` of a thread; `scratch_bytes` of a CTA,
    where they are more than it has; `barriers` that are new; `shared`: accesses to shared memory, where they are
    not the report's. Instructions are counted from the accesses on both sides of a comparison.
    """
    report = what_if.report
    programs = report.programs.total
    if not programs or any(access.requests is None for access in accesses):
        return None
    work = Work(
        target=what_if.target,
        programs=programs * (report.num_ctas or 1),
        num_warps=what_if.total_warps,
        occupancy=held or report.occupancy,
        spill_bytes=spill_bytes,
        shared_bytes=max(report.shared_bytes or 0, scratch_bytes),
        barriers=barriers,
    )
    found = kernel_cost(work, (*accesses, *(what_if.shared if shared is None else shared)))
    return None if found is None else found.seconds


def seconds_before(what_if: WhatIf) -> float | None:
    """The expected time of the launch as it is, spills included."""
    spilled = what_if.report.registers.spill_bytes or 0
    return kernel_seconds(what_if, tuple(what_if.records.values()), spill_bytes=spilled)


def register_budget(what_if: WhatIf) -> int:
    """Registers a thread may have without spilling: what the instruction set names, and one CTA must fit an SM."""
    target = what_if.target
    threads = what_if.total_warps * target.warp_size
    return min(target.max_registers_per_thread, target.registers_per_sm // threads)


class RegisterGuess:
    """Registers a thread that a kernel would have under other layouts of one group of accesses.

    What the compiled kernel holds beyond the estimate for its own layout is added to every estimate.
    """

    def __init__(self, what_if: WhatIf, original: Sequence[Trial]) -> None:
        self._what_if = what_if
        found = what_if.report.registers.per_thread
        self._rest = 0 if found is None or not original else max(0, found - _estimate(original))

    def __call__(self, row: Sequence[Trial]) -> int:
        """Registers a thread with one trial an access."""
        return _estimate(row) + self._rest

    def occupancy(self, row: Sequence[Trial], scratch_bytes: int = 0) -> Occupancy | None:
        """CTAs an SM; None where the registers are beyond the budget or the scratch does not fit."""
        if (registers := self(row)) > register_budget(self._what_if):
            return None
        report = self._what_if.report
        shared = max(report.shared_bytes or 0, scratch_bytes)
        warps = self._what_if.total_warps
        found = occupancy(self._what_if.target, registers, shared, warps)
        return found if found.ctas_per_sm else None

    def seconds(self, row: Sequence[Trial]) -> float:
        """Expected time of these accesses alone; infinite where registers are beyond the budget or unknown."""
        held = self.occupancy(row)
        if held is None:
            return inf
        found = kernel_seconds(self._what_if, [trial.access for trial in row], held)
        return inf if found is None else found


def _estimate(row: Sequence[Trial]) -> int:
    """All loads are issued before what depends on them, so their data lives at once; stores hold one at a time."""
    loads = sum(trial.words for trial in row if trial.access.direction is Direction.LOAD)
    stores = max((trial.words for trial in row if trial.access.direction is Direction.STORE), default=0)
    return estimated_registers(max(loads, stores), sum(trial.instructions for trial in row))
