"""What a profiler counted, whoever made the profiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class InstructionCounters:
    """One instruction of a launch: its offset in bytes from the kernel's first, its text, what it did.

    `stalls`: how often the profiler found a warp before it, by what the warp waited for.
    """

    offset: int
    text: str
    counts: Mapping[str, float] = field(default_factory=dict[str, float])
    stalls: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class NsightLaunch:
    """One launch as an .ncu-rep file has it, metrics by Nsight Compute's names.

    `symbol` is the function's name in `binary` (empty: the file does not hold it). `instances` are a metric's
    values by instruction, keyed by the address it ran at.
    """

    symbol: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    metrics: Mapping[str, float | str]
    instances: Mapping[str, Mapping[int, float]]
    binary: bytes = b""
    target: str = ""


@dataclass(frozen=True, slots=True)
class ProfiledLaunch:
    """One launch as profiled, in launch order. Counter names are those of `measure.names`; None: unknown grid.

    `threads` a CTA, `shared_bytes` a CTA, `target` and `binary` where the profiler's file tells them.
    """

    name: str
    grid: tuple[int, int, int] | None
    counters: Mapping[str, float]
    instructions: tuple[InstructionCounters, ...] = ()
    device: str = ""
    threads: int | None = None
    shared_bytes: int | None = None
    target: str = ""
    binary: bytes = b""
