"""One launch's answer from the GPU as the measurement that stands beside its prediction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gluon_inspect import pipeline, targets
from gluon_inspect.measure.clocks import UNKNOWN, Reading, between
from gluon_inspect.measure.rates import rates
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.report import Clock, KernelReport, Measurement, Timing
from gluon_inspect.model.target import Target

_MOVED = 0.02
"""Clocks that differ by more are said to have moved: boost steps are 15 MHz of some 2 GHz."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One launch as it was timed: median, 20th and 80th percentile in ms and the number of runs.

    `grid` (None: the recorded one) has `factor` times fewer programs than were recorded. `restored` False: what
    the repetitions wrote was not put back.
    """

    ms: tuple[float, ...]
    method: str
    doubt: str = ""
    restored: bool = True
    clocks: tuple[Reading, Reading] = (UNKNOWN, UNKNOWN)
    grid: tuple[int, int, int] | None = None
    factor: int = 1
    notes: tuple[str, ...] = ()


def beside(kernel: KernelReport, answer: Answer, device: str, peak_bytes_per_second: float | None) -> Measurement:
    """The measurement, with rates over what the launch that was made moves."""
    made = kernel if answer.grid is None else _smaller(kernel, answer.grid)
    median, p20, p80, runs = answer.ms
    time = Timing(median, p20, p80, int(runs))
    target = targets.find(kernel.kernel.target)
    rate = rates(made.accesses, time, peak_bytes_per_second, target)
    sm, memory = between(*answer.clocks)
    return Measurement(
        device=device,
        time_ms=time,
        bytes=rate.useful_bytes,
        gbps=rate.useful_gbps,
        fraction_of_peak=rate.fraction_of_peak,
        notes=(
            *_notes(answer, kernel),
            *_moved("SM", sm),
            *_moved("memory", memory),
            *_peak(peak_bytes_per_second, target),
            *_rates(made, time),
        ),
        moved_bytes=rate.moved_bytes,
        moved_gbps=rate.moved_gbps,
        tflops=made.flops / (median * 1e-3) / 1e12 if made.flops else None,
        peak_gbps=peak_bytes_per_second / 1e9 if peak_bytes_per_second else None,
        datasheet_gbps=target.dram_bytes_per_second / 1e9 if _is_reference(device, target) else None,
        sm_clock=sm if sm.after_mhz else None,
        memory_clock=memory if memory.after_mhz else None,
    )


def _is_reference(device: str, target: Target) -> bool:
    """Whether the card here is the one whose data sheet the target quotes ("H200 SXM": NVIDIA H200)."""
    return target.reference_device.split()[0] in device


def _smaller(kernel: KernelReport, grid: tuple[int, int, int]) -> KernelReport:
    launch = replace(kernel.launch, grid=grid)
    capture = Capture("", (replace(kernel.kernel, launches=(launch,)),))
    return pipeline.inspect(capture, programs=kernel.programs.evaluated).kernels[0]


def _notes(answer: Answer, kernel: KernelReport) -> Iterator[str]:
    yield answer.method
    if answer.doubt:
        yield answer.doubt
    yield from answer.notes
    if answer.grid is not None:
        recorded, made = (_shown(grid) for grid in (kernel.launch.grid, answer.grid))
        yield (
            f"scaled down {answer.factor} times to fit the free memory: grid {made} of {recorded}; "
            "times and rates are those of the smaller launch"
        )
    if not answer.restored:
        yield "the launch was repeated without putting its data back: there was no room for a copy"


def _shown(grid: tuple[int, int, int] | None) -> str:
    return "x".join(map(str, grid or ()))


def _moved(name: str, clock: Clock) -> Iterator[str]:
    before, after = clock.before_mhz, clock.after_mhz
    if before and after and abs(after - before) > _MOVED * before:
        yield f"the {name} clock moved from {before:,} to {after:,} MHz meanwhile"


def _peak(bytes_per_second: float | None, target: Target) -> Iterator[str]:
    if bytes_per_second:
        sheet = f"{target.reference_device} data sheet: {target.dram_bytes_per_second / 1e9:,.0f}"
        yield f"peak: a copy at {bytes_per_second / 1e9:,.0f} GB/s in the same run ({sheet})"


def _rates(made: KernelReport, time: Timing) -> Iterator[str]:
    if made.flops:
        yield f"{made.flops / (time.median * 1e-3) / 1e12:,.1f} TFLOP/s in matrix products"
    if made.cost is not None:
        expected = made.cost.seconds * 1e3
        yield (
            f"expected {expected:.4g} ms, limited by {made.cost.limiting.value}: "
            f"measured is {time.median / expected:.2f} times that"
        )
