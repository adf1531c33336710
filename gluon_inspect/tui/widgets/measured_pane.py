"""What a GPU measured beside what was predicted; without a measurement, the prediction alone."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.model.report import KernelReport, Measurement
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.highlight import Token
from gluon_inspect.tui.passages import Passage
from gluon_inspect.tui.widgets.prose import Prose
from gluon_inspect.wording.numbers import percent, plain, size

_BAR_CELLS = 40
_FULL, _NONE = "█", "░"


class MeasuredPane(Prose):
    """Time, bandwidth and counters, with the share of the peak as a bar."""

    def __init__(self) -> None:
        super().__init__(id="measured", title="Measured")

    def show_kernel(self, chosen: Chosen) -> None:
        """The kernel's measurement, or why there is none."""
        measured = chosen.kernel.measurement
        if measured is None:
            why = "not measured: this report was made without a GPU"
            self.show_passages((), empty=why)
            return
        self.show_passages(tuple(_passages(chosen.kernel, measured)))


def _passages(kernel: KernelReport, measured: Measurement) -> Iterator[Passage]:
    yield Passage(f"Measured on {measured.device}", Token.HEADING)
    if (time := measured.time_ms) is not None:
        spread = f"(20% to 80%: {plain(time.p20)} to {plain(time.p80)} ms, {time.runs} runs)"
        yield Passage(f"time       {plain(time.median)} ms {spread}")
    if measured.bytes is not None:
        yield Passage(f"moved      {size(measured.bytes)}")
    if measured.gbps is not None:
        yield Passage(f"bandwidth  {plain(measured.gbps)} GB/s")
    if measured.fraction_of_peak is not None:
        share = measured.fraction_of_peak
        yield Passage(f"of peak    {bar(share)} {percent(share)}", fixed=True)
    if kernel.metrics:
        yield Passage("")
        yield Passage("Predicted", Token.HEADING)
        yield from (
            Passage(f"{metric.title}: {plain(metric.value)} {metric.unit}".rstrip()) for metric in kernel.metrics
        )
    if measured.counters:
        yield Passage("")
        yield Passage("Counters", Token.HEADING)
        widest = max(map(len, measured.counters))
        yield from (
            Passage(f"{name:<{widest}}  {plain(value)}", fixed=True) for name, value in measured.counters.items()
        )
    yield from (Passage(note, Token.MUTED) for note in measured.notes)


def bar(fraction: float) -> str:
    """A fraction from 0 to 1 as a bar."""
    filled = round(min(max(fraction, 0.0), 1.0) * _BAR_CELLS)
    return _FULL * filled + _NONE * (_BAR_CELLS - filled)
