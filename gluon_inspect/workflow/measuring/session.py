"""A report's launches made again on the GPU that is here, and what came out put beside the prediction."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gluon_inspect import targets
from gluon_inspect.capture.scripts import Wanted, make_job
from gluon_inspect.measure.rates import rates
from gluon_inspect.model.report import KernelReport, Measurement, Report, Timing
from gluon_inspect.workflow.measuring.counting import profiled
from gluon_inspect.workflow.measuring.keys import DEFAULT_TIMEOUT_SECONDS, report_key
from gluon_inspect.workflow.measuring.process import Event, child_command, run_child
from gluon_inspect.workflow.request import Request, Tell, silent


@dataclass(frozen=True, slots=True)
class Answers:
    """What the measuring child said."""

    device: str = ""
    target: str = ""
    peak_bytes_per_second: float | None = None
    timed: Mapping[str, Event] = field(default_factory=dict[str, Event])
    notes: tuple[str, ...] = ()


def measured(report: Report, path: str, request: Request, tell: Tell = silent) -> Report:
    """The report with a measurement at every launch that the script made on this machine's GPU.

    Whatever is missing (a GPU, torch, the right architecture, a launch) is one note; the rest stands as it was.
    """
    with tempfile.TemporaryDirectory(prefix="gluon-inspect-") as name:
        cache = Path(name)
        found = answers(path, request, cache, tell)
        kernels = tuple(_with_measurement(kernel, found) for kernel in report.kernels)
        timed = replace(report, kernels=kernels, notes=(*report.notes, *found.notes))
        return profiled(timed, path, request, cache, tell) if found.timed else timed


def answers(path: str, request: Request, cache: Path, tell: Tell) -> Answers:
    """Run the script on the GPU and time each distinct launch."""
    with tempfile.TemporaryDirectory(prefix="gluon-inspect-") as name:
        folder = Path(name)
        wanted = Wanted(path, "", request.script_arguments, module=request.module)
        make_job(wanted, folder).write(folder / "job.json")

        def follow(event: Event) -> None:
            if event["event"] == "timing":
                tell(f"timing {event['name']}")

        timeout = request.timeout_seconds or DEFAULT_TIMEOUT_SECONDS
        events, trouble = run_child(child_command(folder), folder, cache, timeout, follow)
    return _collected(events, trouble)


def _collected(events: Sequence[Event], trouble: str) -> Answers:
    by_kind: dict[str, list[Event]] = {}
    for event in events:
        by_kind.setdefault(event["event"], []).append(event)
    notes = [f"not measured: {event['reason']}" for event in by_kind.get("unavailable", [])]
    notes += [
        f"the measured run of the script ended early: {event['message']}" for event in by_kind.get("error", [])
    ]
    if trouble:
        notes.append(f"measuring ended early: {trouble}")
    device = next(iter(by_kind.get("device", [])), {"name": "", "target": ""})
    peaks = [float(event["bytes_per_second"]) for event in by_kind.get("peak", [])]
    return Answers(
        device=device["name"],
        target=device["target"],
        peak_bytes_per_second=peaks[0] if peaks else None,
        timed={event["key"]: event for event in by_kind.get("timed", [])},
        notes=tuple(notes),
    )


def _with_measurement(kernel: KernelReport, found: Answers) -> KernelReport:
    if not found.device:
        return kernel
    if kernel.kernel.target != found.target:
        problem = (
            f"not measured: compiled for {kernel.kernel.target}, the GPU here is {found.target} ({found.device})"
        )
        return replace(kernel, problems=(*kernel.problems, problem))
    event = found.timed.get(report_key(kernel))
    if event is None:
        problem = f"not measured: the script did not make this launch on the {found.device}"
        return replace(kernel, problems=(*kernel.problems, problem))
    return replace(kernel, measurement=_measurement(kernel, event, found))


def _measurement(kernel: KernelReport, event: Event, found: Answers) -> Measurement:
    median, p20, p80, runs = event["ms"]
    time = Timing(median, p20, p80, int(runs))
    target = targets.find(kernel.kernel.target)
    rate = rates(kernel.accesses, time, found.peak_bytes_per_second, target)
    return Measurement(
        device=found.device,
        time_ms=time,
        bytes=rate.useful_bytes,
        gbps=rate.useful_gbps,
        fraction_of_peak=rate.fraction_of_peak,
        notes=tuple(_notes(kernel, event, found, time)),
    )


def _notes(kernel: KernelReport, event: Event, found: Answers, time: Timing) -> list[str]:
    notes = [str(event["method"])]
    if event["doubt"]:
        notes.append(str(event["doubt"]))
    if not event["restored"]:
        notes.append("the launch was repeated without putting its data back: there was no room for a copy")
    if found.peak_bytes_per_second:
        sheet = targets.find(kernel.kernel.target)
        notes.append(
            f"peak: a copy at {found.peak_bytes_per_second / 1e9:,.0f} GB/s in the same run "
            f"({sheet.reference_device} data sheet: {sheet.dram_bytes_per_second / 1e9:,.0f})"
        )
    if kernel.flops:
        notes.append(f"{kernel.flops / (time.median * 1e-3) / 1e12:,.1f} TFLOP/s in matrix products")
    if kernel.cost is not None:
        expected = kernel.cost.seconds * 1e3
        notes.append(
            f"expected {expected:.4g} ms, limited by {kernel.cost.limiting.value}: "
            f"measured is {time.median / expected:.2f} times that"
        )
    return notes
