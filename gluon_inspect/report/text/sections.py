"""The numbers below the findings, as tables; a section without data is left out, a gap in it is said."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from gluon_inspect.model.report import KernelReport, Measurement
from gluon_inspect.report import Style
from gluon_inspect.report.text.grid import hanging, with_legend, with_note
from gluon_inspect.report.text.palette import DIM, LEVEL
from gluon_inspect.tables.accesses import access_tables
from gluon_inspect.tables.conversions import conversion_tables
from gluon_inspect.tables.resources import coverage_tables, instruction_tables, metric_rows, resource_rows
from gluon_inspect.wording.cells import said
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.compile_errors import excerpt
from gluon_inspect.wording.numbers import percent, plain, ratio

NARROWEST = 60
"""Tables keep their numbers whole from 80 columns on."""
_ROWS = 60
_NEWLINE = "\n"
_PROBLEM_CHARACTERS = 200
_TABLE_ROWS = 40


def sections(kernel: KernelReport, style: Style) -> Iterator[RenderableType]:
    """Everything after the findings; without `details` what was measured, and what is missing."""
    if kernel.kernel.error:
        error = kernel.kernel.error.strip().splitlines()
        lines = "\n  ".join(visible(line) for line in (error if style.details else excerpt(error)))
        yield Text(f"compiler: {lines}", LEVEL["error"])
    yield from _tables(kernel, max(style.width, NARROWEST)) if style.details else _measurement(kernel.measurement)
    yield from _problems(kernel, style.details)


def _tables(kernel: KernelReport, width: int) -> Iterator[RenderableType]:
    yield from with_legend(access_tables(kernel), width, _ROWS)
    yield from with_legend(conversion_tables(kernel), width, _ROWS)
    yield from _measurement(kernel.measurement)
    yield _resources(kernel)
    for table in (*instruction_tables(kernel), *kernel.tables):
        yield from with_note(table, _TABLE_ROWS)
    yield from _coverage(kernel)


def _resources(kernel: KernelReport) -> Group:
    lines = [(said(name), ", ".join(filter(None, map(said, texts)))) for name, *texts in resource_rows(kernel)]
    metrics = "; ".join(f"{said(name)} {said(value)}" for name, value, _ in metric_rows(kernel))
    shown = [*lines, ("also", metrics)] if metrics else lines
    return Group(*(hanging(Text(f"{name}: ", DIM), Text(visible(text))) for name, text in shown))


def _measurement(measurement: Measurement | None) -> Iterator[Text]:
    if measurement is None:
        return
    parts = [f"measured on {visible(measurement.device)}:"]
    if measurement.time_ms:
        time = measurement.time_ms
        parts.append(f"{time.median:.4g} ms (median of {time.runs}; 20% {time.p20:.4g} ms, 80% {time.p80:.4g} ms)")
    if measurement.gbps is not None:
        parts.append(f"{ratio(measurement.gbps)} GB/s, {percent(measurement.fraction_of_peak)} of peak")
    if measurement.moved_gbps is not None and measurement.moved_bytes != measurement.bytes:
        parts.append(f"{ratio(measurement.moved_gbps)} GB/s in whole sectors of every request")
    parts.extend(_clocks(measurement))
    parts.extend(f"{visible(name)} {plain(value)}" for name, value in measurement.counters.items())
    parts.extend(visible(note) for note in measurement.notes)
    yield Text("\n  ".join(parts))


def _clocks(measurement: Measurement) -> Iterator[str]:
    found = {"SM clock": measurement.sm_clock, "memory clock": measurement.memory_clock}
    shown = [f"{name} {clock.after_mhz:,} MHz" for name, clock in found.items() if clock and clock.after_mhz]
    if shown:
        yield ", ".join(shown)


def _coverage(kernel: KernelReport) -> Iterator[Text]:
    for table in coverage_tables(kernel):
        gaps: dict[str, list[str]] = {}
        for gap, name, times in table.rows:
            gaps.setdefault(said(gap), []).append(f"{said(name)} x{said(times)}")
        lines = (f"  {gap}: {', '.join(names)}" for gap, names in gaps.items())
        yield Text("\n".join((f"coverage: {table.title}", *map(visible, lines))), DIM)


def _problems(kernel: KernelReport, details: bool) -> Iterator[Text]:
    problems = [problem for problem in kernel.problems if problem != kernel.kernel.error]
    if problems and not details:
        more = f" (and {len(problems) - 1} more: --details)" if len(problems) > 1 else ""
        yield Text(
            f"problem: {visible(problems[0].replace(_NEWLINE, ' '), _PROBLEM_CHARACTERS)}{more}", LEVEL["warning"]
        )
    elif problems:
        yield Text("\n".join(f"problem: {_lines(problem)}" for problem in problems), LEVEL["warning"])


def _lines(text: str) -> str:
    """Several lines, so that an excerpt's caret stays below its column."""
    return "\n".join(visible(line) for line in text.split("\n"))
