"""A launch as the cost model sees it."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.cost.code import Code
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.report import Occupancy
from gluon_inspect.model.target import Target

MODELLED = (Space.GLOBAL, Space.SHARED)
WITHOUT_OCCUPANCY = 8
"""CTAs an SM where registers are not known: what 4 warps of 64 registers give."""


@dataclass(frozen=True, slots=True)
class Work:
    """A launch as the cost model sees it: `programs` CTAs of `num_warps` warps.

    `instructions`: warp instructions that one warp executes, None where unknown. `spill_bytes`: local memory
    of a thread. `rounds`: memory latencies that follow one another in a program (loop trips, not pipelined).
    `barriers` that a program passes beside what the accesses themselves take.
    """

    target: Target
    programs: int
    num_warps: int
    occupancy: Occupancy | None = None
    instructions: float | None = None
    spill_bytes: int = 0
    shared_bytes: int = 0
    rounds: float | None = None
    barriers: int = 0
    code: Code | None = None
    flops: int | None = None
    source_file: str = ""


def is_counted(access: Access) -> bool:
    """Whether what an access moves is known."""
    if access.space is Space.GLOBAL:
        return access.sectors is not None
    return access.space is Space.SHARED and access.wavefronts is not None
