"""Expected times and registers of a kernel under other layouts."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from gluon_inspect.cost.change import Change, Exchange, changed_seconds
from gluon_inspect.cost.model import Work, known_seconds
from gluon_inspect.cost.registers import estimated_registers
from gluon_inspect.explaining.counterfactual import Trial, WhatIf
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.report import Occupancy

WORTHWHILE = 1.03
"""Predicted speedup below which a change is not proposed."""


def changed_time(
    what_if: WhatIf,
    accesses: Sequence[Access],
    held: Occupancy | None = None,
    *,
    warps: int | None = None,
    exchange: Exchange | None = None,
    scratch_bytes: int = 0,
    shared: Sequence[Access] | None = None,
) -> float | None:
    """The expected time of the launch with these global accesses, in seconds; None where it is not known.

    By the model and the assembly of the report's own time, so that no change at all gives that time. `held`: CTAs
    an SM, where they differ; `shared`: accesses to shared memory, where they are not the report's.
    """
    before, facts, report = seconds_before(what_if), what_if.facts, what_if.report
    if before is None or facts is None or any(access.requests is None for access in accesses):
        return None
    own = tuple(a for a in facts.accesses if a.space is Space.SHARED) if shared is None else shared
    change = Change(
        accesses=(*accesses, *own),
        occupancy=held or report.occupancy,
        num_warps=warps,
        # a layout that is proposed fits its registers, as far as they can be guessed
        spill_bytes=0 if held is not None else None,
        exchange=exchange,
        scratch_bytes=scratch_bytes,
    )
    same = changed_seconds(facts, Change(accesses=facts.accesses, spill_bytes=change.spill_bytes))
    found = changed_seconds(facts, change)
    return None if found is None or not same else before * found / same


def memory_seconds(what_if: WhatIf, accesses: Sequence[Access], held: Occupancy | None = None) -> float | None:
    """The time of the launch's memory with these accesses, to rank candidates by; None where it is not known."""
    report = what_if.report
    programs = report.programs.total
    if not programs or any(access.requests is None for access in accesses):
        return None
    work = Work(
        target=what_if.target,
        programs=programs * (report.num_ctas or 1),
        num_warps=what_if.total_warps,
        occupancy=held or report.occupancy,
        shared_bytes=report.shared_bytes or 0,
    )
    return known_seconds(work, (*accesses, *what_if.shared))


def seconds_before(what_if: WhatIf) -> float | None:
    """The expected time of the launch as it is: the report's own."""
    return None if what_if.report.cost is None else what_if.report.cost.seconds


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
        found = memory_seconds(self._what_if, [trial.access for trial in row], held)
        return inf if found is None else found


def _estimate(row: Sequence[Trial]) -> int:
    """All loads are issued before what depends on them, so their data lives at once; stores hold one at a time."""
    loads = sum(trial.words for trial in row if trial.access.direction is Direction.LOAD)
    stores = max((trial.words for trial in row if trial.access.direction is Direction.STORE), default=0)
    return estimated_registers(max(loads, stores), sum(trial.instructions for trial in row))
