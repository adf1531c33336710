"""The steps of one task: a path and a target become a capture, a capture becomes a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import TYPE_CHECKING

from gluon_inspect.deadlines import within
from gluon_inspect.errors import UsageError
from gluon_inspect.measure.counters import is_profile
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request, Tell
from gluon_inspect.targets import USUAL
from gluon_inspect.workflow.cache import ReportCache
from gluon_inspect.workflow.profiles import Profile, read_profile
from gluon_inspect.workflow.selection import chosen, representative

if TYPE_CHECKING:
    from gluon_inspect.recording.exploration import Exploration
    from gluon_inspect.recording.substitution import Substitution

DEFAULT_TARGET = USUAL
Task = tuple[str, str]
"""A path and a target (empty: what the file says)."""
_SCRIPT_SUFFIXES = (".py", ".ipynb")


def tasks_of(request: Request) -> Iterator[Task]:
    """Scripts once a target, compiled files once; of these the request's part."""
    number, parts = request.shard
    return islice(_all_tasks(request), number - 1, None, parts)


def _all_tasks(request: Request) -> Iterator[Task]:
    for path in request.paths:
        if is_script(path, request):
            yield from ((path, target) for target in request.targets or (DEFAULT_TARGET,))
        else:
            # What is compiled already has its target; the option only names it where the file does not.
            yield path, next(iter(request.targets), "")


def inspected(path: str, target: str, request: Request, tell: Tell) -> Report:
    """One task from end to end; what an earlier run left is not looked for."""
    if not is_script(path, request) and is_profile(Path(path)):
        return _profiled(path, target, request, tell)
    capture = capture_of(path, target, request, tell)
    report = report_of(capture, request, tell)
    keep(path, target, request, capture, report)
    return report


def _profiled(path: str, target: str, request: Request, tell: Tell) -> Report:
    """The report on what a profiler saw, its counters beside what the binaries say."""
    from gluon_inspect.measure.counting import with_launches

    profile = _profile_of(path, target, request)
    return with_launches(report_of(profile.capture, request, tell), profile.launches)


def _profile_of(path: str, target: str, request: Request) -> Profile:
    _refuse_ir_options(path, request, "tells the launches that were made")
    profile = within(request.analysis_seconds, f"{path}: not read", lambda: read_profile(path, target))
    return replace(profile, capture=_with_target_note(profile.capture, path, request.targets))


def kept(path: str, target: str, request: Request) -> Report | None:
    """The report that an earlier run left, if the request wants it and nothing has changed."""
    return _cache().get(path, target, request) if request.cache and is_script(path, request) else None


def keep(path: str, target: str, request: Request, capture: Capture, report: Report) -> None:
    """Leave a script's report to later runs, if the request wants it."""
    if request.cache and is_script(path, request):
        _cache().put(path, target, request, capture, report)


def _cache() -> ReportCache:
    from gluon_inspect.loading.cache import cache_folder

    return ReportCache(cache_folder())


def capture_of(path: str, target: str, request: Request, tell: Tell) -> Capture:
    """Record a script or load what is compiled. Raises InspectError."""
    if is_script(path, request):
        _refuse_ir_options(path, request, "brings its own launches")
        return recording_of(path, target, request, tell)
    if is_profile(Path(path)):
        return _profile_of(path, target, request).capture
    from gluon_inspect.loading import completed, load

    # --kernel chooses first, so that --asm and --arg need fit the chosen ones only
    loaded = within(request.analysis_seconds, f"{path}: not read", lambda: load(path, target=target))
    capture = completed(
        chosen(loaded, request.kernels),
        asm=request.asm,
        args=request.arguments,
        grid=request.grid,
        assumed=request.assumed,
    )
    return _with_target_note(capture, path, request.targets)


def report_of(capture: Capture, request: Request, tell: Tell) -> Report:
    """Disassemble what has no SASS yet, and run the pipeline on the kernels asked for."""
    from gluon_inspect.loading.disassemble import with_sass
    from gluon_inspect.pipeline import inspect as run_pipeline

    whole = chosen(capture, request.kernels)
    whole = whole if request.all_launches else representative(whole)
    if request.disassemblers:
        whole = with_sass(whole, tell, request.disassemblers)
    return run_pipeline(whole, programs=request.programs, tell=tell, seconds=request.analysis_seconds)


def recording_of(
    path: str,
    target: str,
    request: Request,
    tell: Tell,
    substitutions: tuple[Substitution, ...] = (),
    kernel: str | None = None,
    texts: Mapping[str, str] = MappingProxyType({}),
    exploration: Exploration | None = None,
) -> Capture:
    """Run a script under the recorder. `substitutions` and what follows as `record` takes them."""
    from gluon_inspect.pipeline import warm_up
    from gluon_inspect.recording.record import Progress, record

    # the script runs in a process of its own: what the report will need is imported meanwhile
    Thread(target=warm_up, daemon=True).start()

    def follow(progress: Progress) -> None:
        doing = f"compiling {progress.compiling}" if progress.compiling else "running the script"
        counts = f"{progress.compilations} kernels, {progress.launches} launches"
        tell(f"recording {path} for {target}: {counts}, {doing}")

    return record(
        path,
        target,
        argv=request.script_arguments,
        module=request.module,
        kernel=kernel,
        substitutions=substitutions,
        texts=texts,
        progress=follow,
        timeout_seconds=request.timeout_seconds,
        all_configs=request.all_configs,
        only_launches=request.only_launches,
        assumed=request.assumed_reads,
        compilers=max(1, request.disassemblers),
        cached=request.cache,
        exploration=exploration,
    )


def is_script(path: str, request: Request) -> bool:
    """Whether the path is run, rather than read."""
    return request.module or path.partition("::")[0].endswith(_SCRIPT_SUFFIXES)


def _with_target_note(capture: Capture, path: str, targets: Sequence[str]) -> Capture:
    """What is compiled stays what it is: a target that was asked for and does not apply is said."""
    compiled = tuple(dict.fromkeys(kernel.target for kernel in capture.kernels))
    ignored = [target for target in targets if target not in compiled]
    if not ignored or not compiled:
        return capture
    note = f"{path} is compiled for {', '.join(compiled)}: --target {', '.join(ignored)} does not apply to it"
    return replace(capture, notes=(*capture.notes, note))


def _refuse_ir_options(path: str, request: Request, why: str) -> None:
    certain = request.arguments.keys() - set(request.assumed)
    given = {"--arg": certain, "--assume": request.assumed, "--grid": request.grid, "--asm": request.asm}
    for option, value in given.items():
        if value:
            raise UsageError(f"{option} is for IR files; {path} {why}", hint=f"leave {option} out")
