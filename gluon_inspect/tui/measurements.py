"""The words of a measurement: predicted beside measured, and both under the roofs of the card. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gluon_inspect.measure.verdicts import Pair
from gluon_inspect.model.finding import Table
from gluon_inspect.model.report import KernelReport, Measurement, Report
from gluon_inspect.report import Style, roofchart
from gluon_inspect.tui.highlight import Token
from gluon_inspect.tui.passages import Passage
from gluon_inspect.wording.cells import said
from gluon_inspect.wording.numbers import duration, percent, plain, size

_BAR_CELLS = 40
_FULL, _NONE = "█", "░"
_MEASURED_TABLES = ("measured_launch", "measured_lines")
_HOW = (
    "Not measured: this report was made without running the kernel. On a machine with a GPU "
    "`gluon-inspect tui kernels.py --measure` times each launch; `--counters FILE` reads what a profiler "
    "counted. Both then stand beside the prediction."
)
_NANOSECONDS_A_MS, _NANOSECONDS_A_SECOND = 1e6, 1e9


def measurement_text(kernel: KernelReport, width: int) -> Iterator[Passage]:
    """What was measured and predicted of a kernel, for a pane of `width` cells."""
    measured = kernel.measurement
    if measured is None:
        yield from _unmeasured(kernel)
    else:
        yield Passage(f"Measured on {measured.device}", Token.HEADING)
        yield from _rates(kernel, measured)
        yield from (Passage(note, Token.MUTED) for note in measured.notes)
    yield from _roofline(kernel, width)
    if measured is not None:
        yield from _counters(kernel, measured)


def _unmeasured(kernel: KernelReport) -> Iterator[Passage]:
    yield from (Passage(why, Token.WARNING) for why in kernel.problems if why.startswith("not measured"))
    yield Passage(_HOW, Token.MUTED)
    if kernel.cost is None:
        yield Passage("No time is expected either: too little is known of its traffic.", Token.MUTED)
        return
    yield Passage("")
    yield Passage("Expected", Token.HEADING)
    yield Passage(f"time       {duration(kernel.cost.seconds)}, limited by {kernel.cost.limiting.value}")
    yield from (Passage(f"assumed: {what}", Token.MUTED) for what in kernel.cost.assumed)


def _rates(kernel: KernelReport, measured: Measurement) -> Iterator[Passage]:
    expected = None if kernel.cost is None else kernel.cost.seconds * _NANOSECONDS_A_SECOND
    if (time := measured.time_ms) is not None:
        pair = Pair("time", expected, time.median * _NANOSECONDS_A_MS)
        told = f"expected {duration(None if kernel.cost is None else kernel.cost.seconds)}"
        yield Passage(f"time       {duration(time.median * 1e-3)}   {told}   {pair.verdict}")
        yield Passage(
            f"           20% to 80%: {plain(time.p20)} to {plain(time.p80)} ms, {time.runs} runs", Token.MUTED
        )
    if measured.bytes is not None:
        yield Passage(f"moved      {size(measured.bytes)}")
    if measured.gbps is not None:
        yield Passage(f"bandwidth  {plain(measured.gbps)} GB/s")
    if (share := measured.fraction_of_peak) is not None:
        yield Passage(f"of peak    {bar(share)} {percent(share)}", fixed=True)


def _roofline(kernel: KernelReport, width: int) -> Iterator[Passage]:
    """The measured launch and the expected one in the same chart."""
    expected = (replace(kernel, measurement=None),) if kernel.measurement is not None and kernel.cost else ()
    yield Passage("")
    yield Passage("Roofline", Token.HEADING)
    chart = roofchart.render(Report((kernel, *expected)), Style(width=width))
    yield from (Passage(line, fixed=True) for line in chart.rstrip("\n").split("\n"))


def _counters(kernel: KernelReport, measured: Measurement) -> Iterator[Passage]:
    compared = [table for table in kernel.tables if table.key in _MEASURED_TABLES]
    for table in compared:
        yield Passage("")
        yield Passage(f"{table.title} ({table.note})" if table.note else table.title, Token.HEADING)
        yield from (Passage(line, fixed=True) for line in _columns(table))
    if measured.counters:
        yield Passage("")
        yield Passage("Counters", Token.HEADING)
        widest = max(map(len, measured.counters))
        yield from (
            Passage(f"{name:<{widest}}  {plain(value)}", fixed=True) for name, value in measured.counters.items()
        )


def _columns(table: Table) -> Iterator[str]:
    """A table's rows as aligned text, its titles first."""
    rows = [[column.title for column in table.columns], *(list(map(said, row)) for row in table.rows)]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    right = [column.align == "right" for column in table.columns]
    yield from (_aligned(row, widths, right) for row in rows)


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = zip(row, widths, right, strict=True)
    return "  ".join(cell.rjust(width) if to else cell.ljust(width) for cell, width, to in cells).rstrip()


def bar(fraction: float) -> str:
    """A fraction from 0 to 1 as a bar."""
    filled = round(min(max(fraction, 0.0), 1.0) * _BAR_CELLS)
    return _FULL * filled + _NONE * (_BAR_CELLS - filled)
