"""What is asked for: plain data, so that it can cross to a worker process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Tell = Callable[[str], None]
"""Told what is being done, for people who wait."""


ANALYSIS_SECONDS = 300.0
"""So that nothing hangs: the counted limits end all that is known long before."""


def silent(_: str) -> None:
    """Nobody is waiting."""


@dataclass(frozen=True, slots=True)
class Request:
    """Paths and how to look at them.

    `kernels` are name patterns (empty: all). `programs`: None as many as is cheap, 0 all.
    `targets` empty: what the capture says, or the default for scripts. `module`: paths are the dotted
    names of modules to run. `timeout_seconds` bounds the recording of each script (None: no bound),
    `analysis_seconds` the reading of each input and the analysis of each launch (0: no bound).
    `cache`: a script whose report is at hand, with every file it read unchanged, is not run again.
    """

    paths: tuple[str, ...]
    targets: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    arguments: Mapping[str, int | float | bool] = field(default_factory=dict[str, "int | float | bool"])
    grid: tuple[int, int, int] | None = None
    asm: str | None = None
    programs: int | None = None
    script_arguments: tuple[str, ...] = ()
    module: bool = False
    timeout_seconds: float | None = None
    analysis_seconds: float = ANALYSIS_SECONDS
    cache: bool = False
    measure: bool = False
    """Scripts are run on the GPU that is here as well."""
    counters: str | None = None
    """A profiler's file (.ncu-rep, Nsight Compute's or rocprofv3's CSV) with counters of the same launches."""
    disassemblers: int = 4
    """Compilers and disassemblers at once; the report is the same with any number. 0: nothing is disassembled."""
    shard: tuple[int, int] = (1, 1)
    """I and N: of the inputs every N-th script and target, from the I-th on."""
    all_configs: bool = False
    """Every configuration of autotuned kernels, for every key; otherwise the first few once."""
    only_launches: int | None = None
    """A script ends after so many launches; None: when it ends."""
    assumed_reads: Mapping[str, int | float | bool] = field(default_factory=dict[str, "int | float | bool"])
    """What a script reads from the GPU, by place ("file.py:12"), where a kernel would have computed it."""
    all_launches: bool = False
    """Every launch of each kernel; otherwise a few of many that differ in grid or arguments only."""
    assumed: tuple[str, ...] = ()
    """Names of `arguments` whose values are only assumed."""
    space: str | None = None
    """Configurations that are tried (empty: the kernels' own); None: the script is recorded as it is."""
