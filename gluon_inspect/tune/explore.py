"""Every configuration of a script's kernel compiled and given its time: several recordings share them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from gluon_inspect.bulkheads import FaultError, contained
from gluon_inspect.errors import UsageError
from gluon_inspect.loading.cache import cache_folder
from gluon_inspect.loading.disassemble import with_sass
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.model.request import Request, Tell, silent
from gluon_inspect.pipeline import inspect
from gluon_inspect.recording.exploration import Exploration
from gluon_inspect.tune.family import family
from gluon_inspect.tune.space import configurations
from gluon_inspect.workflow.cache import ReportCache
from gluon_inspect.workflow.executors import processes
from gluon_inspect.workflow.selection import merged, representative
from gluon_inspect.workflow.steps import DEFAULT_TARGET, is_script, recording_of

_KEPT_STAGES = ("ttgir",)
"""With the binary, what it takes to launch a candidate again."""


@dataclass(frozen=True, slots=True)
class _Part:
    capture: Capture
    report: Report


def explored(request: Request, jobs: int, tell: Tell = silent) -> Report:
    """The kernels of one script in every configuration, for each target; entries without findings.

    `request.space` names the configurations. What an earlier run left is used where nothing has changed. Raises
    the first InspectError of a part, UsageError for what is no script.
    """
    path = request.paths[0]
    if not is_script(path, request):
        raise UsageError(f"{path} is no script", hint="what is tuned is compiled anew: give the Python file")
    found: list[Report] = []
    with processes(jobs) as pool:
        for target in request.targets or (DEFAULT_TARGET,):
            kept = ReportCache(cache_folder()).get(path, target, request) if request.cache else None
            found.append(kept or _explored(pool, target, request, jobs, tell))
    return merged(found)


def _explored(pool: Executor, target: str, request: Request, jobs: int, tell: Tell) -> Report:
    space = configurations(request.space or "")
    found = _tried(pool, target, request, space, jobs, tell)
    if not space and (layouts := family([each for each in found[1].kernels if not each.kernel.configuration])):
        found = _tried(pool, target, request, layouts, jobs, tell)
    if request.cache:
        ReportCache(cache_folder()).put(request.paths[0], target, request, *found)
    return found[1]


def _tried(
    pool: Executor,
    target: str,
    request: Request,
    space: Sequence[Mapping[str, str]],
    jobs: int,
    tell: Tell,
) -> tuple[Capture, Report]:
    """What was read, and every configuration's entry."""
    path, pattern = request.paths[0], request.kernels[0]
    parts = min(jobs, len(space) or jobs)
    tell(f"compiling configurations of {pattern} for {target} in {parts} processes")
    works = [
        pool.submit(_part, path, target, request, Exploration(pattern, tuple(space), part, parts))
        for part in range(parts)
    ]
    done = [contained(f"tuning {path}", work.result) for work in works]
    faults = [each for each in done if not isinstance(each, _Part)]
    if faults:
        raise FaultError(faults[0])
    found = [each for each in done if isinstance(each, _Part)]
    return _whole(found), _once(merged([part.report for part in found]))


def _part(path: str, target: str, request: Request, exploration: Exploration) -> _Part:
    """What one process does: record, disassemble, time."""
    capture = recording_of(path, target, request, silent, exploration=exploration)
    kernels = tuple(kernel for kernel in capture.kernels if exploration.fits(kernel.name))
    if not kernels:
        names = ", ".join(sorted({kernel.name for kernel in capture.kernels})[:20])
        raise UsageError(f"{path}: no kernel is named {exploration.kernel}", hint=f"there are: {names}")
    whole = replace(capture, kernels=kernels)
    whole = with_sass(whole if request.all_launches else representative(whole))
    report = inspect(whole, programs=request.programs, seconds=request.analysis_seconds, judged=False)
    return _Part(
        replace(capture, kernels=(), sources={}), replace(report, kernels=tuple(map(_slim, report.kernels)))
    )


def _slim(report: KernelReport) -> KernelReport:
    """Without what no table of configurations says."""
    kernel = report.kernel
    stages = {name: kernel.stages[name] for name in _KEPT_STAGES if name in kernel.stages}
    cost = report.cost and replace(report.cost, standing=(), per_access=())
    registers = replace(report.registers, tensors=()) if kernel.configuration else report.registers
    return replace(
        report,
        kernel=replace(kernel, stages=stages, dumps={}, launches=()),
        cost=cost,
        registers=registers,
        instructions_by_line=(),
        instructions_executed={},
        conversions=(),
        accesses=tuple(replace(each, locality=None) for each in report.accesses if each.direction == "store"),
    )


def _once(report: Report) -> Report:
    """Parts that had nothing of their own to try made the same kernel: it stands once."""
    seen: set[tuple[object, ...]] = set()
    kernels: list[KernelReport] = []
    for each in report.kernels:
        key = (
            each.kernel.target,
            each.name,
            tuple(each.kernel.configuration.items()),
            tuple(each.kernel.constexprs.items()),
            repr(each.launch.arguments),
            each.launch.grid,
            each.kernel.error,
        )
        if key not in seen:
            seen.add(key)
            kernels.append(each)
    return replace(report, kernels=tuple(kernels))


def _whole(parts: Sequence[_Part]) -> Capture:
    """What the cache asks of a capture: what was read, and whether the script ended."""
    files = [part.capture.files for part in parts]
    errors = [part.capture.error for part in parts if part.capture.error is not None]
    read = None if None in files else tuple(dict.fromkeys(file for own in files for file in own or ()))
    return Capture("", (), files=read, error=errors[0] if errors else None)
