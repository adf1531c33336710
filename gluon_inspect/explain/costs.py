"""Expected times for comparing layouts: a quick rank of candidates, and the cost model for the best of them."""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.addresses.requests import Traffic
from gluon_inspect.cost.model import Work, kernel_cost
from gluon_inspect.explain.counterfactual import WhatIf
from gluon_inspect.model.access import Access
from gluon_inspect.model.target import Target


def access_seconds(target: Target, traffic: Traffic) -> float:
    """Seconds that a traffic keeps the memory system busy, to rank candidates before the cost model does.

    Sectors by DRAM bandwidth, one tag lookup an SM a cycle, one request a scheduler a cycle.
    """
    moved = traffic.sectors * target.sector_bytes / target.dram_bytes_per_second
    looked_up = traffic.lines / (target.sms * target.clock_hz)
    issued = traffic.requests / (target.sms * target.clock_hz * target.simds_per_sm)
    return moved + looked_up + issued


def kernel_seconds(what_if: WhatIf, accesses: Sequence[Access]) -> float | None:
    """The expected time of the launch with these accesses; None where their traffic is not known.

    Registers, and so occupancy, are taken to stay as they are; instructions are counted from the accesses on
    both sides of a comparison.
    """
    report = what_if.report
    programs = report.programs.total
    if not programs or any(access.requests is None for access in accesses):
        return None
    work = Work(
        target=what_if.target,
        programs=programs * (report.num_ctas or 1),
        num_warps=report.total_warps or what_if.warps,
        occupancy=report.occupancy,
        shared_bytes=report.shared_bytes or 0,
    )
    found = kernel_cost(work, accesses)
    return None if found is None else found.seconds
