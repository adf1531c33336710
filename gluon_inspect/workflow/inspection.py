"""From a path to a report: record or load, then the pipeline. Several paths and targets make one report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING

from gluon_inspect.errors import CaptureError, InspectError, UsageError
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.report import Report
from gluon_inspect.workflow.cache import ReportCache
from gluon_inspect.workflow.executors import InlineExecutor, executor, fresh_process
from gluon_inspect.workflow.inspected import Inspected
from gluon_inspect.workflow.request import Request, Tell, silent
from gluon_inspect.workflow.selection import NoSuchKernel, chosen, merged

if TYPE_CHECKING:
    from gluon_inspect.capture.substitution import Substitution

DEFAULT_TARGET = "cuda:90"
_SCRIPT_SUFFIXES = (".py", ".ipynb")


def inspect(
    subject: str | Path | Capture,
    target: str | None = None,
    *,
    kernel: str | None = None,
    arguments: Mapping[str, int | float | bool] | None = None,
    grid: tuple[int, int, int] | None = None,
    asm: str | None = None,
    programs: int | None = None,
) -> Inspected:
    """The report on a script, a file, a cache folder or a capture.

    `target` such as "cuda:90" (the default for scripts); `kernel` a name or pattern; `arguments` by
    parameter name, pointers as byte addresses; `grid` in programs; `programs` how many to evaluate
    (None: as many as is cheap, 0: all). Raises InspectError for bad input.
    """
    targets = (target,) if target else ()
    patterns = (kernel,) if kernel else ()
    paths = () if isinstance(subject, Capture) else (str(subject),)
    request = Request(paths, targets, patterns, arguments or {}, grid, asm, programs)
    if isinstance(subject, Capture):
        return Inspected.of(_pipeline(subject, request, silent))
    return Inspected.of(inspect_all(request).report())


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

    def report(self) -> Report:
        """Everything that could be read, as one report; raises the first failure if nothing could."""
        reports = [result for result in self.results if isinstance(result, Report)]
        if not reports:
            raise self.failures[0]
        return merged(reports)


def inspect_all(request: Request, tell: Tell = silent, jobs: int = 1) -> Outcome:
    """Every path for every target, `jobs` at a time; order and content do not depend on `jobs`.

    What is to be measured is measured afterwards, one script at a time: others would change its times.
    """
    tasks = list(_tasks(request))
    with executor(min(jobs, len(tasks))) as pool:
        outcome = Outcome(list(_results(pool, tasks, replace(request, measure=False, counters=None), tell)))
    return measure_all(outcome, request, tell)


def measure_all(outcome: Outcome, request: Request, tell: Tell = silent) -> Outcome:
    """The same reports with what the request wants measured: on the GPU that is here, or by a profiler's file."""
    return Outcome(
        [
            result if isinstance(result, InspectError) else _measured(path, result, request, tell)
            for (path, _), result in zip(_tasks(request), outcome.results, strict=True)
        ]
    )


def capture_one(request: Request, tell: Tell = silent) -> Capture:
    """The capture of the request's first path and target."""
    path, target = next(_tasks(request))
    return chosen(_capture(path, target, request, tell), request.kernels)


def inspect_substituted(
    request: Request, target: str, changes: Sequence[tuple[str, str, str, str]], tell: Tell = silent
) -> Report:
    """The request's script recorded again with constexpr layouts replaced.

    `changes`: (kernel, parameter, old text, new layout expression). Only kernels that change are kept.
    Raises UsageError for an input that is no script.
    """
    from gluon_inspect.capture.substitution import Substitution

    path = request.paths[0]
    if not _is_script(path, request):
        raise UsageError(f"{path} is no script, so nothing can be compiled again")
    substitutions = tuple(Substitution(*change) for change in changes)
    names = tuple(dict.fromkeys(change[0] for change in changes))
    capture = _recording(path, target, request, tell, substitutions, names[0] if len(names) == 1 else None)
    return _pipeline(capture, replace(request, kernels=names), tell)


def inspect_rewritten(request: Request, target: str, text: str, kernel: str, tell: Tell = silent) -> Report:
    """The request's script recorded again with another text, from a copy in a temporary folder.

    Only kernels of that name are kept. Raises UsageError for an input that is no script of its own.
    """
    path, separator, selector = request.paths[0].partition("::")
    if request.module or not path.endswith(".py"):
        raise UsageError(f"{path} is no Python file, so a changed copy cannot be run")
    with TemporaryDirectory(prefix="gluon-inspect-") as scratch:
        copy = Path(scratch) / Path(path).name
        copy.write_text(text, encoding="utf-8")
        folder = str(Path(path).resolve().parent)
        capture = _recording(f"{copy}{separator}{selector}", target, request, tell, kernel=kernel, folder=folder)
    return _pipeline(capture, replace(request, kernels=(kernel,)), tell)


def _tasks(request: Request) -> Iterator[tuple[str, str]]:
    for path in request.paths:
        if _is_script(path, request):
            yield from ((path, target) for target in request.targets or (DEFAULT_TARGET,))
        else:
            # What is compiled already has its target; the option only names it where the file does not.
            yield path, next(iter(request.targets), "")


def _results(
    pool: Executor, tasks: Sequence[tuple[str, str]], request: Request, tell: Tell
) -> Iterator[Report | InspectError]:
    inner = tell if isinstance(pool, InlineExecutor) else silent
    futures = [_submitted(pool, path, target, request, inner) for path, target in tasks]
    for (path, target), future in zip(tasks, futures, strict=True):
        tell(f"inspecting {path} for {target}" if target else f"inspecting {path}")
        try:
            yield future.result()
        except BrokenExecutor:
            yield _alone(path, target, request)
        except InspectError as error:
            yield error


def _submitted(pool: Executor, path: str, target: str, request: Request, tell: Tell) -> Future[Report]:
    try:
        return pool.submit(_one, path, target, request, tell)
    except BrokenExecutor as error:
        refused = Future[Report]()
        refused.set_exception(error)
        return refused


def _alone(path: str, target: str, request: Request) -> Report | InspectError:
    """One task in a process of its own, after a worker died: only the task that kills its worker is lost."""
    try:
        with fresh_process() as pool:
            return pool.submit(_one, path, target, request, silent).result()
    except BrokenExecutor:
        where = f"{path} for {target}" if target else path
        return CaptureError(
            f"{where}: the process that worked on it died", hint="out of memory? try fewer --jobs or --programs 64"
        )
    except InspectError as error:
        return error


def _one(path: str, target: str, request: Request, tell: Tell) -> Report:
    if not request.cache or not _is_script(path, request):
        return _pipeline(_capture(path, target, request, tell), request, tell)
    from gluon_inspect.capture.disassemble import cache_folder

    cache = ReportCache(cache_folder())
    kept = cache.get(path, target, request)
    if kept is not None:
        return kept
    capture = _capture(path, target, request, tell)
    report = _pipeline(capture, request, tell)
    cache.put(path, target, request, capture, report)
    return report


def _measured(path: str, report: Report, request: Request, tell: Tell) -> Report:
    """Times from the GPU that is here, counters from it or from a profiler's file."""
    if request.measure:
        from gluon_inspect.workflow.measuring.jobs import of_launches, of_script
        from gluon_inspect.workflow.measuring.session import measured

        job = of_script if _is_script(path, request) else of_launches
        report = measured(report, job(report, path, request), tell)
    if request.counters:
        from gluon_inspect.workflow.measuring.counting import with_counters_of

        report = with_counters_of(report, Path(request.counters))
    return report


def _pipeline(capture: Capture, request: Request, tell: Tell) -> Report:
    from gluon_inspect.capture.disassemble import with_sass
    from gluon_inspect.pipeline import inspect as run_pipeline

    whole = with_sass(chosen(capture, request.kernels), tell)
    return run_pipeline(whole, programs=request.programs, tell=tell)


def _capture(path: str, target: str, request: Request, tell: Tell) -> Capture:
    if _is_script(path, request):
        _refuse_ir_options(path, request)
        return _recording(path, target, request, tell)
    from gluon_inspect.capture.files import load

    capture = load(path, asm=request.asm, args=request.arguments, grid=request.grid, target=target)
    return _with_target_note(capture, path, request.targets)


def _with_target_note(capture: Capture, path: str, targets: Sequence[str]) -> Capture:
    """What is compiled stays what it is: a target that was asked for and does not apply is said."""
    compiled = tuple(dict.fromkeys(kernel.target for kernel in capture.kernels))
    ignored = [target for target in targets if target not in compiled]
    if not ignored or not compiled:
        return capture
    note = f"{path} is compiled for {', '.join(compiled)}: --target {', '.join(ignored)} does not apply to it"
    return replace(capture, notes=(*capture.notes, note))


def _recording(
    path: str,
    target: str,
    request: Request,
    tell: Tell,
    substitutions: tuple[Substitution, ...] = (),
    kernel: str | None = None,
    folder: str = "",
) -> Capture:
    from gluon_inspect.capture.record import Progress, record
    from gluon_inspect.pipeline import warm_up

    # the script runs in a process of its own: what the report will need is imported meanwhile
    Thread(target=warm_up, daemon=True).start()

    def follow(progress: Progress) -> None:
        doing = f", compiling {progress.compiling}" if progress.compiling else ""
        tell(f"recording {path} for {target}: {progress.launches} launches{doing}")

    return record(
        path,
        target,
        argv=request.script_arguments,
        module=request.module,
        kernel=kernel,
        substitutions=substitutions,
        folder=folder,
        progress=follow,
        timeout_seconds=request.timeout_seconds,
    )


def _is_script(path: str, request: Request) -> bool:
    return request.module or path.partition("::")[0].endswith(_SCRIPT_SUFFIXES)


def _refuse_ir_options(path: str, request: Request) -> None:
    given = {"--arg": request.arguments, "--grid": request.grid, "--asm": request.asm}
    for option, value in given.items():
        if value:
            raise UsageError(
                f"{option} is for IR files; {path} brings its own launches", hint=f"leave {option} out"
            )
