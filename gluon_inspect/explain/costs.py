"""Expected times for comparing layouts, from traffic alone."""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.addresses.requests import Traffic
from gluon_inspect.explain.counterfactual import WhatIf
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.target import Target


def access_seconds(target: Target, traffic: Traffic) -> float:
    """Seconds that a traffic keeps the memory system busy: sectors by bandwidth, lines by the L1's tags.

    One tag lookup an SM a cycle (Nsight Compute: l1tex__t_requests peak); used to rank, not to predict.
    """
    moved = traffic.sectors * target.sector_bytes / target.dram_bytes_per_second
    looked_up = traffic.lines / (target.sms * target.clock_hz)
    issued = traffic.requests / (target.sms * target.clock_hz * target.simds_per_sm)
    return moved + looked_up + issued


def kernel_seconds(what_if: WhatIf, accesses: Sequence[Access]) -> float | None:
    """The same, summed over a kernel's global accesses; None where one of them is unknown."""
    total = 0.0
    for access in accesses:
        if access.space is not Space.GLOBAL:
            continue
        if access.requests is None or access.sectors is None or access.lines is None:
            return None
        total += access_seconds(what_if.target, Traffic(access.requests, access.sectors, access.lines))
    return total
