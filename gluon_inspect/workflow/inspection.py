"""From a path to a report: record or load, then the pipeline. Several paths and targets make one report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gluon_inspect.bulkheads import Fault, FaultError, contained
from gluon_inspect.errors import InspectError, UsageError
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.model.request import Request, Tell, silent
from gluon_inspect.workflow.executors import processes
from gluon_inspect.workflow.selection import NoSuchKernel, chosen, merged
from gluon_inspect.workflow.steps import (
    Task,
    capture_of,
    inspected,
    is_script,
    kept,
    recording_of,
    report_of,
    tasks_of,
)


class Outcome:
    """Reports in the order asked for, and the errors of the inputs that gave none."""

    def __init__(self, results: Sequence[Report | InspectError]) -> None:
        self.results = results

    @property
    def failures(self) -> tuple[InspectError, ...]:
        """Why some inputs gave nothing; inputs without a kernel of the name are none if others have one."""
        failures = tuple(result for result in self.results if isinstance(result, InspectError))
        if any(isinstance(result, Report) for result in self.results):
            return tuple(failure for failure in failures if not isinstance(failure, NoSuchKernel))
        return failures

    @property
    def kernels(self) -> tuple[KernelReport, ...]:
        """Those of every input that could be read."""
        return tuple(each for result in self.results if isinstance(result, Report) for each in result.kernels)

    def report(self) -> Report:
        """Everything that could be read, as one report; raises the first failure if nothing could."""
        reports = [result for result in self.results if isinstance(result, Report)]
        if not reports:
            raise self.failures[0]
        return merged(reports)


def inspect_all(request: Request, tell: Tell = silent, jobs: int = 1, scheduler: str = "") -> Outcome:
    """Every path for every target, `jobs` at a time; order and content do not depend on `jobs`.

    `scheduler`: the address of a Dask cluster, whose workers take the place of processes here.

    What is to be measured is measured afterwards, one script at a time: others would change its times.
    """
    asked = replace(request, measure=False, counters=None, disassemblers=jobs if request.disassemblers else 0)
    tasks = list(tasks_of(asked))
    found = {task: kept(*task, asked) for task in tasks}
    missing = [task for task in dict.fromkeys(tasks) if found[task] is None]
    made = dict(zip(missing, _made(missing, asked, tell, jobs, scheduler), strict=True))
    outcome = Outcome([found[task] or made[task] for task in tasks])
    return measure_all(outcome, request, tell)


def _made(
    tasks: Sequence[Task], request: Request, tell: Tell, jobs: int, scheduler: str
) -> list[Report | InspectError]:
    alone = replace(request, disassemblers=min(request.disassemblers, 1))
    if scheduler and tasks:
        from gluon_inspect.workflow.cluster import cluster
        from gluon_inspect.workflow.parallel import in_processes

        with cluster(scheduler) as (pool, width):
            return in_processes(pool, tasks, alone, tell, width)
    if min(jobs, len(tasks)) > 1:
        from gluon_inspect.workflow.parallel import in_processes

        with processes(jobs) as pool:
            return in_processes(pool, tasks, alone, tell, jobs)
    return [_one(path, target, request, tell) for path, target in tasks]


def _one(path: str, target: str, request: Request, tell: Tell) -> Report | InspectError:
    tell(f"inspecting {path} for {target}" if target else f"inspecting {path}")
    where = f"{path} for {target}" if target else path
    try:
        found = contained(where, lambda: inspected(path, target, request, tell))
    except InspectError as error:
        return error
    return FaultError(found) if isinstance(found, Fault) else found


def measure_all(outcome: Outcome, request: Request, tell: Tell = silent) -> Outcome:
    """The same reports with what the request wants measured: on the GPU that is here, or by a profiler's file."""
    return Outcome(
        [
            result if isinstance(result, InspectError) else _measured(path, result, request, tell)
            for (path, _), result in zip(tasks_of(request), outcome.results, strict=True)
        ]
    )


def capture_one(request: Request, tell: Tell = silent) -> Capture:
    """The capture of the request's first path and target."""
    path, target = next(tasks_of(request))
    return chosen(capture_of(path, target, request, tell), request.kernels)


def inspect_substituted(
    request: Request, target: str, changes: Sequence[tuple[str, str, str, str]], tell: Tell = silent
) -> Report:
    """The request's script recorded again with constexpr layouts replaced.

    `changes`: (kernel, parameter, old text, new layout expression). Only kernels that change are kept.
    Raises UsageError for an input that is no script.
    """
    from gluon_inspect.recording.substitution import Substitution

    path = request.paths[0]
    if not is_script(path, request):
        raise UsageError(f"{path} is no script, so nothing can be compiled again")
    substitutions = tuple(Substitution(*change) for change in changes)
    names = tuple(dict.fromkeys(change[0] for change in changes))
    capture = recording_of(path, target, request, tell, substitutions, names[0] if len(names) == 1 else None)
    return report_of(capture, replace(request, kernels=names), tell)


def inspect_rewritten(
    request: Request, target: str, texts: Mapping[str, str], kernels: Sequence[str] = (), tell: Tell = silent
) -> Report:
    """The request's script recorded again as if files had other texts; on disk they stay as they are.

    Only kernels of these names are kept (none: those of the request). Raises UsageError for an input that is no
    script.
    """
    path = request.paths[0]
    if not is_script(path, request):
        raise UsageError(f"{path} is no script, so nothing can be compiled again")
    only = kernels[0] if len(kernels) == 1 else None
    capture = recording_of(path, target, request, tell, kernel=only, texts=texts)
    return report_of(capture, replace(request, kernels=tuple(kernels) or request.kernels), tell)


def _measured(path: str, report: Report, request: Request, tell: Tell) -> Report:
    """Times from the GPU that is here, counters from it or from a profiler's file."""
    if request.measure:
        from gluon_inspect.measure.jobs import of_launches, of_script
        from gluon_inspect.measure.session import measured

        job = of_script if is_script(path, request) else of_launches
        report = measured(report, job(report, path, request), tell)
    if request.counters:
        from gluon_inspect.measure.counting import with_counters_of

        report = with_counters_of(report, Path(request.counters))
    return report
