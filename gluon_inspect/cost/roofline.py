"""Kernels under the roofs of their card: what bandwidth allows at their intensity, and what arithmetic allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gluon_inspect.model.access import Space
from gluon_inspect.model.report import KernelReport
from gluon_inspect.model.target import Target

LEAST_INTENSITY = 1 / 16
"""Where kernels without matrix products are drawn: they have no operations to count, only bytes."""

MATRIX_FLOPS: Mapping[str, float] = {
    "cuda:80": 312e12,
    "cuda:90": 989.4e12,
    "cuda:100": 2250e12,
    "cuda:103": 2250e12,
    "hip:gfx90a": 383e12,
    "hip:gfx942": 1307.4e12,
    "hip:gfx950": 2306e12,
}
"""Dense 16-bit matrix operations a second of the reference cards.

NVIDIA data sheets of the A100, H200 and B200/B300 (dense, 16 bit); AMD data sheets of the MI250X, MI300X, MI350X.
"""


@dataclass(frozen=True, slots=True)
class Point:
    """One launch. `intensity` in FLOP a useful byte, `rate` in FLOP/s at that intensity.

    Without matrix products the intensity is LEAST_INTENSITY and `rate` the bandwidth times it, so that the
    distance to the roof is that of the bandwidth. `measured` False: the time is the cost model's.
    """

    label: str
    intensity: float
    rate: float
    bytes_per_second: float
    measured: bool
    has_flops: bool


@dataclass(frozen=True, slots=True)
class Roofline:
    """The roofs of one target's reference card, and the launches under them. `peak` None: unknown."""

    target: str
    card: str
    bandwidth: float
    peak: float | None
    points: tuple[Point, ...]

    def roof(self, intensity: float) -> float:
        """FLOP/s that the card allows at an intensity."""
        slope = self.bandwidth * intensity
        return slope if self.peak is None else min(slope, self.peak)


def roofline(target: Target, kernels: Iterable[KernelReport]) -> Roofline:
    """The launches whose bytes and time (measured, else expected) are known."""
    points = (point_of(kernel) for kernel in kernels)
    return Roofline(
        target=target.name,
        card=target.reference_device,
        bandwidth=target.dram_bytes_per_second,
        peak=MATRIX_FLOPS.get(target.name),
        points=tuple(point for point in points if point is not None),
    )


def point_of(kernel: KernelReport) -> Point | None:
    """A launch's place under the roofs; None where its bytes or its time are unknown."""
    moved, timed = useful_bytes(kernel), _seconds(kernel)
    if not moved or timed is None:
        return None
    seconds, measured = timed
    intensity = kernel.flops / moved if kernel.flops else LEAST_INTENSITY
    return Point(
        label=kernel.name,
        intensity=intensity,
        rate=intensity * moved / seconds,
        bytes_per_second=moved / seconds,
        measured=measured,
        has_flops=bool(kernel.flops),
    )


def useful_bytes(kernel: KernelReport) -> int | None:
    """Distinct bytes that a launch reads and writes in global memory; None where an access is unknown."""
    found = [access.bytes_unique for access in kernel.accesses if access.space is Space.GLOBAL]
    known = [each for each in found if each is not None]
    return sum(known) if found and len(known) == len(found) else None


def _seconds(kernel: KernelReport) -> tuple[float, bool] | None:
    time = kernel.measurement.time_ms if kernel.measurement else None
    if time is not None:
        return time.median * 1e-3, True
    return (kernel.cost.seconds, False) if kernel.cost else None
