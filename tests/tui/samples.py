"""Reports for the tests of the TUI: made by hand over a recorded capture, so that wording elsewhere can change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from gluon_inspect.loading.save import load_capture
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import Column, Finding, Metric, Severity, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Measurement, Report, Timing
from gluon_inspect.pipeline import inspect

DATA = Path(__file__).parent / "data" / "kernels.gi"
FILE = "kernels.py"
LOAD_LINE, STORE_LINE, HELPER_LINE = 19, 20, 12


@cache
def capture() -> Capture:
    return load_capture(DATA)


@cache
def inspected() -> Report:
    """What the pipeline says of the capture."""
    return inspect(capture())


@cache
def small() -> Report:
    """Two kernels, one with an error, one clean; every kind of pane has something to show."""
    recorded = capture()
    first, second = recorded.kernels
    bad = KernelReport(
        first,
        first.launches[0],
        num_warps=4,
        accesses=(access("g0", "load", LOAD_LINE, 8192), access("g1", "store", STORE_LINE, 65536)),
        findings=(finding(0, Severity.ERROR, STORE_LINE), finding(1, Severity.NOTE, 16)),
        tables=(table(),),
        metrics=(Metric("ctas", "CTAs an SM", 16),),
    )
    good = KernelReport(second, second.launches[0], accesses=(access("g0", "load", 27, 8192),))
    return Report((bad, good), recorded.origin, recorded.sources, notes=("a note of the recording",))


@cache
def many() -> Report:
    """One kernel with sixty findings and sixty more kernels."""
    recorded = capture()
    severities = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    findings = [finding(n, severities[n // 20], 10 + n % 30) for n in range(60)]
    kernel = recorded.kernels[0]
    others = [CompiledKernel(f"kernel_{n:02}", "cuda:90") for n in range(60)]
    reports = [KernelReport(kernel, kernel.launches[0], findings=tuple(findings))]
    reports += [KernelReport(other, Launch("launch0", grid=(n + 1, 1, 1))) for n, other in enumerate(others)]
    return Report(tuple(reports), recorded.origin, recorded.sources)


@cache
def bare() -> Report:
    """A kernel of which nothing is known."""
    kernel = CompiledKernel("nothing", "hip:gfx942")
    return Report((KernelReport(kernel, Launch("-"), problems=("no TTGIR: nothing is known",)),), "nothing.bin")


@cache
def measured() -> Report:
    """A kernel with a measurement."""
    kernel = capture().kernels[0]
    timing = Timing(0.0123, 0.012, 0.013, 100)
    measurement = Measurement("NVIDIA H200", timing, 524288, 3456.0, 0.72, {"sectors": 73728.0})
    report = KernelReport(kernel, kernel.launches[0], measurement=measurement)
    return Report((report,), FILE, capture().sources)


def finding(number: int, severity: Severity, line: int) -> Finding:
    return Finding(
        id=f"f{number}",
        rule=f"GI9{number:02}",
        name="made-up-rule",
        severity=severity,
        confidence=Confidence.EXACT,
        model=ModelStatus.VALIDATED,
        message=f"finding number {number}: each request touches 32 sectors where 4 would hold its bytes",
        location=Location(FILE, line, 5),
        evidence={"sectors": 65536, "sectors_ideal": 8192},
        help="let order start with dim 0",
    )


def access(key: str, direction: str, line: int, sectors: int, callers: Sequence[Location] = ()) -> Access:
    return Access(
        key,
        f"tt.{direction}",
        Space.GLOBAL,
        Direction(direction),
        Location(FILE, line, 5, callers=tuple(callers)),
        layout="BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])",
        vector_bits=32,
        requests=2048,
        sectors=sectors,
        sectors_ideal=8192,
        lines=sectors,
        confidence=Confidence.EXACT,
        model=ModelStatus.VALIDATED,
    )


def table() -> Table:
    return Table(
        "instructions",
        "Instructions",
        (Column("instruction"), Column("static", "right")),
        (("LDG.E", 8), ("STG.E", 8)),
        (Location(FILE, LOAD_LINE), Location(FILE, STORE_LINE)),
        note="as they stand in the binary",
    )
