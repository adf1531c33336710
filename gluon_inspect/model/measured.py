"""What a profiler counted, whoever made the profiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class InstructionCounters:
    """One instruction of a launch: its offset in bytes from the kernel's first, its text, what it did."""

    offset: int
    text: str
    counts: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class ProfiledLaunch:
    """One launch as profiled, in launch order. Counter names are those of `measure.names`; None: unknown grid."""

    name: str
    grid: tuple[int, int, int] | None
    counters: Mapping[str, float]
    instructions: tuple[InstructionCounters, ...] = ()
    device: str = ""
