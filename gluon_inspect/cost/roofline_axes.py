"""What both drawings of the roofline share: one chart a target, and where things lie on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log2, log10

from gluon_inspect import targets
from gluon_inspect.cost.roofline import LEAST_INTENSITY, Point, Roofline, point_of, roofline
from gluon_inspect.model.report import KernelReport, Report

_MOST_INTENSITY = 1024.0


def charts(report: Report) -> Iterator[Roofline]:
    """One roofline for each target that has a launch to show."""
    for target in targets.ALL:
        found = roofline(target, (kernel for kernel in report.kernels if kernel.kernel.target == target.name))
        if found.points:
            yield found


def drawable(kernel: KernelReport) -> bool:
    """Whether a launch has a place on a chart."""
    return point_of(kernel) is not None and kernel.kernel.target in _TARGETS


_TARGETS = frozenset(target.name for target in targets.ALL)


def left_out(report: Report) -> str:
    """The launches that no chart shows, in words; empty where all are shown."""
    shown = sum(len(chart.points) for chart in charts(report))
    missing = [kernel.name for kernel in report.kernels if not drawable(kernel)]
    if not missing:
        return "" if shown else "no launch"
    return f"not drawn, bytes or time unknown: {', '.join(dict.fromkeys(missing))}"


@dataclass(frozen=True, slots=True)
class Axes:
    """Logarithmic axes as shares from 0 to 1: x in FLOP a byte, y in FLOP/s, bottom to top."""

    left: float
    right: float
    low: float
    high: float

    def x(self, intensity: float) -> float:
        """Share of the width."""
        return (log2(max(intensity, self.left)) - log2(self.left)) / (log2(self.right) - log2(self.left))

    def y(self, rate: float) -> float:
        """Share of the height, within the chart."""
        share = (log10(max(rate, self.low)) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return min(1.0, max(0.0, share))

    def intensities(self) -> tuple[float, ...]:
        """Powers of four along x."""
        return tuple(4.0**n for n in range(ceil(log2(self.left) / 2), floor(log2(self.right) / 2) + 1))

    def decades(self) -> tuple[float, ...]:
        """Powers of ten along y."""
        return tuple(10.0**n for n in range(ceil(log10(self.low)), floor(log10(self.high)) + 1))


def axes(chart: Roofline) -> Axes:
    """Room for the ridge and every point."""
    right = max(_MOST_INTENSITY, *(2 * point.intensity for point in chart.points))
    top = max(chart.roof(right), *(point.rate for point in chart.points))
    bottom = min(chart.roof(LEAST_INTENSITY) / 100, *(point.rate / 2 for point in chart.points))
    return Axes(LEAST_INTENSITY, right, bottom, 2 * top)


def told(chart: Roofline, point: Point) -> str:
    """One point in words: its rate, the share of the roof, and where the time is from."""
    share = point.rate / chart.roof(point.intensity)
    rate = f"{point.rate / 1e12:.3g} TFLOP/s, " if point.has_flops else ""
    source = "measured" if point.measured else "expected"
    return f"{rate}{point.bytes_per_second / 1e9:,.0f} GB/s, {share:.0%} of the roof, {source}"


def roofs(chart: Roofline) -> str:
    """The card's limits in words."""
    peak = "" if chart.peak is None else f", {chart.peak / 1e12:,.0f} TFLOP/s (16-bit matrix, dense)"
    return f"{chart.target}, {chart.card}: {chart.bandwidth / 1e9:,.0f} GB/s{peak}"
