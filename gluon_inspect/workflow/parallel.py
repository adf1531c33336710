"""Tasks in worker processes. Recording and analysing are steps of their own, so that one script for three targets
fills two workers as well as six scripts do. Order and content are those of one task after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import replace
from typing import TypeVar

from gluon_inspect.bulkheads import Fault, FaultError, contained
from gluon_inspect.errors import CaptureError, InspectError
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request, Tell, silent
from gluon_inspect.workflow.executors import processes
from gluon_inspect.workflow.selection import chosen, merged
from gluon_inspect.workflow.steps import Task, capture_of, inspected, is_script, keep, report_of

_RECORDING = -1
Result = TypeVar("Result")


def in_processes(
    pool: Executor, tasks: Sequence[Task], request: Request, tell: Tell, pieces: int
) -> list[Report | InspectError]:
    """Each task's report or error, in order. A script's kernels are analysed in `pieces` parts.

    `pool` may be any Executor, a cluster's too: all that crosses it can be pickled.
    """
    run = _Run(pool, tasks, request, pieces)
    for done in run.steps():
        tell(f"{done} of {len(tasks)} inspected")
    return [run.result(index) for index in range(len(tasks))]


class _Run:
    def __init__(self, pool: Executor, tasks: Sequence[Task], request: Request, pieces: int) -> None:
        self._pool, self._tasks, self._request, self._pieces = pool, tasks, request, pieces
        self._waiting: dict[Future[Capture | Report], tuple[int, int]] = {}
        self._captures: dict[int, Capture] = {}
        self._reports: dict[int, dict[int, Report]] = {index: {} for index in range(len(tasks))}
        self._failed: dict[int, InspectError | BrokenExecutor] = {}

    def steps(self) -> Iterator[int]:
        """Works until nothing waits; gives the number of tasks that are done as it grows."""
        for index, (path, target) in enumerate(self._tasks):
            if is_script(path, self._request):
                self._start(index, _RECORDING, capture_of, path, target, self._request, silent)
            else:
                self._start(index, 0, inspected, path, target, self._request, silent)
        while self._waiting:
            done, _ = wait(self._waiting, return_when=FIRST_COMPLETED)
            for future in done:
                self._take(future)
            yield len(self._tasks) - len({index for index, _ in self._waiting.values()})

    def _start(self, index: int, piece: int, work: Callable[..., Capture | Report], *arguments: object) -> None:
        try:
            self._waiting[self._pool.submit(work, *arguments)] = (index, piece)
        except BrokenExecutor as error:
            self._failed.setdefault(index, error)

    def _take(self, future: Future[Capture | Report]) -> None:
        index, piece = self._waiting.pop(future)
        try:
            result = contained(self._name(index), lambda: _alive(future.result))
            if isinstance(result, Fault):
                raise FaultError(result)
            if isinstance(result, BrokenExecutor):
                raise result
            if isinstance(result, Capture):
                # before it is divided: a part alone may hold none of the kernels that were asked for
                result = chosen(result, self._request.kernels)
        except (InspectError, BrokenExecutor) as error:
            self._failed.setdefault(index, error)
            return
        if isinstance(result, Report):
            self._reports[index][piece] = result
            return
        self._captures[index] = replace(result, kernels=(), sources={})
        for number, part in enumerate(_parts(result, self._pieces)):
            self._start(index, number, report_of, part, self._request, silent)

    def _name(self, index: int) -> str:
        path, target = self._tasks[index]
        return f"{path} for {target}" if target else path

    def result(self, index: int) -> Report | InspectError:
        """The task's report from its pieces; a task that a dead worker held is done again, alone."""
        path, target = self._tasks[index]
        match self._failed.get(index):
            case BrokenExecutor():
                return _alone(path, target, self._request, self._name(index))
            case InspectError() as error:
                return error
            case _:
                report = merged([self._reports[index][piece] for piece in sorted(self._reports[index])])
        if index in self._captures:
            keep(path, target, self._request, self._captures[index], report)
        return report


def _parts(capture: Capture, pieces: int) -> Iterator[Capture]:
    """The kernels in order, in up to `pieces` runs of like length; notes and errors go with the first."""
    length = -(-len(capture.kernels) // pieces) or 1
    yield replace(capture, kernels=capture.kernels[:length])
    for start in range(length, len(capture.kernels), length):
        yield replace(capture, kernels=capture.kernels[start : start + length], notes=(), error=None)


def _alive(work: Callable[[], Result]) -> Result | BrokenExecutor:
    """What a worker gives; its death is no fault of ours."""
    try:
        return work()
    except BrokenExecutor as error:
        return error


def _alone(path: str, target: str, request: Request, where: str) -> Report | InspectError:
    """One task in a process of its own, after a worker died: only the task that kills its worker is lost."""
    with processes(1) as pool:
        try:
            result = contained(
                where, lambda: _alive(lambda: pool.submit(inspected, path, target, request, silent).result())
            )
        except InspectError as error:
            return error
    match result:
        case Fault():
            return FaultError(result)
        case Report():
            return result
        case _:
            return CaptureError(
                f"{where}: the process that worked on it died",
                hint="out of memory? try fewer --jobs or --programs 64",
            )
