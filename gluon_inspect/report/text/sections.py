"""The numbers below the findings, as tables; a section without data is left out, a gap in it is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.text import Text

from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import Metric
from gluon_inspect.model.report import KernelReport, Measurement, Occupancy
from gluon_inspect.report import Style
from gluon_inspect.report.text.grid import Cell, Head, grid, hanging
from gluon_inspect.report.text.palette import DIM, LEVEL
from gluon_inspect.report.text.traffic import access_section, conversion_section
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import UNKNOWN, count, percent, plain, plural, ratio, size

NARROWEST = 60
"""Tables keep their numbers whole from 80 columns on."""
_TABLE_ROWS = 40
_INSTRUCTION_TABLES = "instruction"
"""An analysis' table with such a key says the same in better order."""


def sections(kernel: KernelReport, style: Style) -> Iterator[RenderableType]:
    """Everything after the findings, most asked-for first; `brief` stops after accesses and conversions."""
    width = max(style.width, NARROWEST)
    if kernel.kernel.error:
        lines = "\n  ".join(visible(line) for line in kernel.kernel.error.strip().splitlines())
        yield Text(f"compiler: {lines}", LEVEL["error"])
    yield from access_section(kernel, width)
    yield from conversion_section(kernel, width)
    yield from _measurement(kernel.measurement)
    if style.brief:
        yield from _problems(kernel)
        return
    yield from _resources(kernel)
    yield from _instructions(kernel)
    yield from _tables(kernel)
    yield from _coverage(kernel)
    yield from _problems(kernel)


def _resources(kernel: KernelReport) -> Iterator[Group]:
    registers = kernel.registers
    lines = [
        ("registers", f"{count(registers.per_thread)} a thread, spilled {size(registers.spill_bytes)}"),
        ("shared memory", f"{size(kernel.shared_bytes)} a CTA"),
    ]
    if kernel.tensor_memory_columns:
        lines.append(("tensor memory", plural(kernel.tensor_memory_columns, "column")))
    lines.append(("occupancy", _occupancy(kernel.occupancy, _unit(kernel))))
    if kernel.metrics:
        lines.append(
            ("also", "; ".join(f"{visible(metric.title)} {_metric(metric)}" for metric in kernel.metrics))
        )
    yield Group(*(hanging(Text(f"{title}: ", DIM), Text(text)) for title, text in lines))


def _unit(kernel: KernelReport) -> str:
    return "a compute unit" if kernel.kernel.target.startswith("hip") else "an SM"


def _occupancy(occupancy: Occupancy | None, unit: str) -> str:
    if occupancy is None:
        return UNKNOWN
    limits = ", ".join(f"{visible(name)} {limit}" for name, limit in occupancy.limits.items())
    limited_by = visible(", ".join(occupancy.limited_by)) or "nothing"
    return (
        f"{plural(occupancy.ctas_per_sm, 'CTA')} and {plural(occupancy.warps, 'warp')} {unit}"
        f" ({percent(occupancy.fraction)}), limited by {limited_by}"
        + (f" (CTAs by each alone: {limits})" if limits else "")
    )


def _metric(metric: Metric) -> str:
    text = f"{visible(plain(metric.value))} {visible(metric.unit)}".rstrip()
    return text if metric.confidence is Confidence.EXACT else f"{text} ({metric.confidence.value})"


def _instructions(kernel: KernelReport) -> Iterator[RenderableType]:
    static, executed = kernel.instructions_static, kernel.instructions_executed
    names = [*static, *(name for name in executed if name not in static)]
    told = any(table.key.startswith(_INSTRUCTION_TABLES) for table in kernel.tables)
    if not names or told:
        return
    rows = [
        (Cell(visible(name)), Cell(_cell(static.get(name))), Cell(_cell(executed.get(name)))) for name in names
    ]
    heads = (Head("instruction"), Head("static", right=True), Head("executed", right=True))
    yield grid(
        "Instructions (static: in the binary; executed: by all warps of the launch)", heads, rows[:_TABLE_ROWS]
    )


def _cell(value: int | None) -> str:
    return "?" if value is None else count(value)


def _tables(kernel: KernelReport) -> Iterator[RenderableType]:
    for table in kernel.tables:
        heads = [
            Head(
                visible(f"{column.title} ({column.unit})" if column.unit else column.title),
                column.align == "right",
            )
            for column in table.columns
        ]
        rows = [[visible(plain(value)) for value in row] for row in table.rows[:_TABLE_ROWS]]
        yield grid(visible(table.title), heads, ([Cell(text) for text in row] for row in rows))
        left_out = len(table.rows) - _TABLE_ROWS
        if left_out > 0:
            yield Text(f"  {plural(left_out, 'more row')}, in the JSON report", DIM)
        if table.note:
            yield Text(visible(table.note), DIM)


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
    coverage = kernel.coverage
    if not kernel.has_ir:
        return
    lines = [f"coverage: {coverage.understood:,} of {plural(coverage.operations, 'operation')} understood"]
    if coverage.not_understood:
        lines.append("  not understood: " + _tallies(coverage.not_understood))
    if coverage.unmodelled:
        lines.append("  not modelled: " + _tallies(coverage.unmodelled))
    yield Text("\n".join(lines), DIM)


def _problems(kernel: KernelReport) -> Iterator[Text]:
    problems = [problem for problem in kernel.problems if problem != kernel.kernel.error]
    if problems:
        yield Text("\n".join(f"problem: {_lines(problem)}" for problem in problems), LEVEL["warning"])


def _lines(text: str) -> str:
    """Several lines, so that an excerpt's caret stays below its column."""
    return "\n".join(visible(line) for line in text.split("\n"))


def _tallies(tallies: Mapping[str, int]) -> str:
    return ", ".join(f"{visible(name)} x{number}" for name, number in tallies.items())
