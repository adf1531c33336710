"""A report's launches made again on the GPU that is here, and what came out put beside the prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gluon_inspect.loading.scratch import scratch_folder
from gluon_inspect.measure.beside import Answer, beside
from gluon_inspect.measure.clocks import UNKNOWN
from gluon_inspect.measure.counting import profiled
from gluon_inspect.measure.jobs import Subject
from gluon_inspect.measure.keys import report_key
from gluon_inspect.measure.process import Event, child_command, run_child, running
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.model.request import Tell, silent


@dataclass(frozen=True, slots=True)
class Answers:
    """What the measuring child said."""

    device: str = ""
    target: str = ""
    peak_bytes_per_second: float | None = None
    timed: Mapping[str, Answer] = field(default_factory=dict[str, Answer])
    skipped: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()


def measured(report: Report, subject: Subject, tell: Tell = silent, *, count: bool = True) -> Report:
    """The report with a measurement at every launch that was made on this machine's GPU; `count`: counters too.

    Whatever is missing (a GPU, torch, the right architecture, a launch) is one note; the rest stands as it was.
    """
    with scratch_folder() as name:
        cache = Path(name)
        found = answers(subject, cache, tell)
        kernels = tuple(_with_measurement(kernel, found, subject) for kernel in report.kernels)
        timed = replace(report, kernels=kernels, notes=(*report.notes, *found.notes))
        # what faulted or hung once would do so again under the profiler
        goes_on = count and found.timed and not found.notes
        return profiled(timed, subject, cache, tell) if goes_on else timed


def answers(subject: Subject, cache: Path, tell: Tell) -> Answers:
    """Make the launches on the GPU and time each distinct one."""
    with scratch_folder() as name:
        folder = Path(name)
        subject.prepare(folder)

        def follow(event: Event) -> None:
            if event["event"] == "timing":
                tell(f"timing {event['name']}")

        events, trouble = run_child(child_command(folder), folder, cache, subject.timeout_seconds, follow)
    return collected(events, trouble)


def collected(events: Sequence[Event], trouble: str) -> Answers:
    """The journal's events put together; `trouble` says how the child died (empty: it did not)."""
    by_kind: dict[str, list[Event]] = {}
    for event in events:
        by_kind.setdefault(event["event"], []).append(event)
    device = next(iter(by_kind.get("device", [])), {"name": "", "target": ""})
    peaks = [float(event["bytes_per_second"]) for event in by_kind.get("peak", [])]
    rebuilt = {event["key"]: event for event in by_kind.get("rebuilt", [])}
    return Answers(
        device=device["name"],
        target=device["target"],
        peak_bytes_per_second=peaks[0] if peaks else None,
        timed={event["key"]: _answer(event, rebuilt.get(event["key"])) for event in by_kind.get("timed", [])},
        skipped={event["key"]: event["reason"] for event in by_kind.get("skipped", [])},
        notes=tuple(_notes(by_kind, events, trouble)),
    )


def _notes(by_kind: Mapping[str, list[Event]], events: Sequence[Event], trouble: str) -> list[str]:
    notes = [f"not measured: {event['reason']}" for event in by_kind.get("unavailable", [])]
    notes += [f"measuring ended early{running(events)}: {each['message']}" for each in by_kind.get("error", [])]
    return [*notes, f"measuring ended early: {trouble}"] if trouble else notes


def _answer(event: Event, rebuilt: Event | None) -> Answer:
    before, after = event.get("clocks", (UNKNOWN, UNKNOWN))
    made = rebuilt or {"grid": None, "factor": 1, "notes": ()}
    return Answer(
        ms=tuple(event["ms"]),
        method=event["method"],
        doubt=event["doubt"],
        restored=event["restored"],
        clocks=((before[0], before[1]), (after[0], after[1])),
        grid=None if made["grid"] is None else (made["grid"][0], made["grid"][1], made["grid"][2]),
        factor=made["factor"],
        notes=tuple(made["notes"]),
    )


def _with_measurement(kernel: KernelReport, found: Answers, subject: Subject) -> KernelReport:
    if not found.device or kernel.kernel.error:
        return kernel
    if kernel.kernel.target != found.target:
        return _unmeasured(
            kernel, f"compiled for {kernel.kernel.target}, the GPU here is {found.target} ({found.device})"
        )
    key = report_key(kernel)
    answer = found.timed.get(key)
    if answer is None:
        return _unmeasured(kernel, found.skipped.get(key, f"{subject.missing} on the {found.device}"))
    return replace(kernel, measurement=beside(kernel, answer, found.device, found.peak_bytes_per_second))


def _unmeasured(kernel: KernelReport, why: str) -> KernelReport:
    return replace(kernel, problems=(*kernel.problems, f"not measured: {why}"))
