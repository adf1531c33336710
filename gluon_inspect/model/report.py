"""The report: what every renderer, the TUI and the JSON schema are made from (design.md, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gluon_inspect.bulkheads import Fault
from gluon_inspect.model.access import Access, Conversion
from gluon_inspect.model.artifact import CompiledKernel, Launch, ScriptError
from gluon_inspect.model.asm import AmdRegisters
from gluon_inspect.model.brief import brief
from gluon_inspect.model.change import Comparison
from gluon_inspect.model.cost import KernelCost
from gluon_inspect.model.finding import Finding, Metric, Table
from gluon_inspect.model.location import Location

_SHOWN_KERNELS = 8
"""In the `repr` of a report, which is to fit a terminal."""


@dataclass(frozen=True, slots=True)
class Programs:
    """How many of a launch's programs (CTAs) were evaluated."""

    evaluated: int | None
    total: int | None


@dataclass(frozen=True, slots=True)
class Replication:
    """How many copies of each element a layout holds, by the input dimension the copies lie in."""

    register: int = 1
    lane: int = 1
    warp: int = 1


@dataclass(frozen=True, slots=True)
class RegisterTensor:
    """One distributed tensor: 32-bit physical registers against unique elements (per program)."""

    location: Location | None
    shape: tuple[int, ...]
    layout: str
    element_bits: int
    registers_per_thread: int
    registers_per_program: int
    unique_elements: int
    replication: Replication
    name: str = ""
    is_data: bool = False
    """Loaded, stored or computed with, and not only part of an address or a mask."""


@dataclass(frozen=True, slots=True)
class PartitionRegisters:
    """A warp-specialised partition's warps and registers a thread."""

    warps: int
    per_thread: int


@dataclass(frozen=True, slots=True)
class Registers:
    """Registers a thread and spills from the binary (None: no binary), and tensors from the IR."""

    per_thread: int | None = None
    spill_bytes: int | None = None
    partitions: tuple[PartitionRegisters, ...] = ()
    tensors: tuple[RegisterTensor, ...] = ()
    amd: AmdRegisters | None = None


@dataclass(frozen=True, slots=True)
class Occupancy:
    """CTAs and warps an SM (compute unit on AMD) holds at once, and what stops one more."""

    ctas_per_sm: int
    warps: int
    fraction: float
    limited_by: tuple[str, ...]
    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """CTAs an SM by each resource alone: "registers", "scalar_registers" (AMD), "shared", "warps", "blocks"."""


@dataclass(frozen=True, slots=True)
class PassEntry:
    """One row of the pass timeline; `changed` None: unknown."""

    index: int
    name: str
    changed: bool | None


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds over `runs` launches."""

    median: float
    p20: float
    p80: float
    runs: int


@dataclass(frozen=True, slots=True)
class Clock:
    """One clock around a measurement, in MHz; None where it could not be read."""

    before_mhz: int | None
    after_mhz: int | None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a GPU did; it stands beside the prediction and never changes a finding.

    `bytes` counts each element once, `moved_bytes` whole sectors of every request; `gbps` and `moved_gbps` are
    their rates. `fraction_of_peak` is `gbps` over `peak_gbps`, a copy measured in the same run;
    `datasheet_gbps` is what the maker says. `tflops` counts matrix products alone.
    """

    device: str
    time_ms: Timing | None = None
    bytes: int | None = None
    gbps: float | None = None
    fraction_of_peak: float | None = None
    counters: Mapping[str, float] = field(default_factory=dict[str, float])
    notes: tuple[str, ...] = ()
    moved_bytes: int | None = None
    moved_gbps: float | None = None
    tflops: float | None = None
    peak_gbps: float | None = None
    datasheet_gbps: float | None = None
    sm_clock: Clock | None = None
    memory_clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was read and what was not: operations by name, and effects that no model covers."""

    operations: int = 0
    understood: int = 0
    not_understood: Mapping[str, int] = field(default_factory=dict[str, int])
    unmodelled: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class LineInstructions:
    """Static instruction counts of one Python line."""

    location: Location | None
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One kernel x target x launch."""

    kernel: CompiledKernel
    launch: Launch
    num_warps: int | None = None
    num_ctas: int | None = None
    total_warps: int | None = None
    programs: Programs = Programs(None, None)
    accesses: tuple[Access, ...] = ()
    conversions: tuple[Conversion, ...] = ()
    registers: Registers = Registers()
    shared_bytes: int | None = None
    tensor_memory_columns: int | None = None
    occupancy: Occupancy | None = None
    instructions_static: Mapping[str, int] = field(default_factory=dict[str, int])
    instructions_executed: Mapping[str, int] = field(default_factory=dict[str, int])
    instructions_by_line: tuple[LineInstructions, ...] = ()
    passes: tuple[PassEntry, ...] = ()
    measurement: Measurement | None = None
    findings: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    metrics: tuple[Metric, ...] = ()
    coverage: Coverage = Coverage()
    problems: tuple[str, ...] = ()
    """What could not be done for this kernel, in words (an analysis that cannot run says why)."""
    unread: str = ""
    """Why nothing could be read of this kernel: the exit code is then that of bad input."""
    faults: tuple[Fault, ...] = ()
    """Exceptions of the tool's own: what they hit is missing here, and the exit code says so."""
    cost: KernelCost | None = None
    """Expected time of the launch; None where nothing of its global traffic is known."""
    flops: int | None = None
    """Operations of the launch's matrix products (2 a multiply-add); 0 where it has none, None where unknown."""

    def __repr__(self) -> str:
        grid = "x".join(map(str, self.launch.grid)) if self.launch.grid else "unknown"
        counts = f"{len(self.accesses)} accesses, {len(self.conversions)} conversions, {_tally(self.findings)}"
        return brief(f"<KernelReport {self.name} for {self.kernel.target}, grid {grid}: {counts}>")

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.kernel.name

    @property
    def made_from(self) -> str:
        """The operations that a compiler above Triton fused into the kernel; empty where none wrote it."""
        return str(self.kernel.metadata.get("original_operations", ""))

    @property
    def has_ir(self) -> bool:
        """Whether IR was read; without it no access is known, which is not to say that there is none."""
        return self.coverage.operations > 0 or bool(self.accesses)


@dataclass(frozen=True, slots=True)
class Report:
    """The whole answer to one `gluon-inspect report`."""

    kernels: tuple[KernelReport, ...]
    origin: str = ""
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()
    error: ScriptError | None = None
    comparison: Comparison | None = None
    """Against a baseline, where one was given."""

    def __repr__(self) -> str:
        shown = [f"\n  {kernel!r}" for kernel in self.kernels[:_SHOWN_KERNELS]]
        if len(self.kernels) > _SHOWN_KERNELS:
            shown.append(f"\n  … {len(self.kernels) - _SHOWN_KERNELS} more")
        return brief(f"<{type(self).__name__} of {self.origin}: {len(self.kernels)} kernels>") + "".join(shown)


def _tally(findings: tuple[Finding, ...]) -> str:
    rules = dict.fromkeys(finding.rule for finding in findings)
    return f"{len(findings)} findings" + (f" ({', '.join(rules)})" if rules else "")
