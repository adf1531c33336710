"""Where tasks run: here, or in worker processes. Anything with Executor's interface can take their place."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

from gluon_inspect.errors import InspectError

_P = ParamSpec("_P")
_T = TypeVar("_T")


class InlineExecutor(Executor):
    """Runs each task when its result is asked for, in this process: progress and order as they come."""

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """A future that does the work on `result()`."""
        return _Deferred(lambda: fn(*args, **kwargs))


class _Deferred(Future[_T]):
    def __init__(self, work: Callable[[], _T]) -> None:
        super().__init__()
        self._work = work

    def result(self, timeout: float | None = None) -> _T:
        if not self.done():
            try:
                self.set_result(self._work())
            except InspectError as error:
                self.set_exception(error)
        return super().result(timeout)


def executor(jobs: int) -> Executor:
    """One job runs inline; more run in fresh processes (spawned: a fork would copy half-held locks)."""
    if jobs <= 1:
        return InlineExecutor()
    return fresh_process(jobs)


def fresh_process(jobs: int = 1) -> Executor:
    """Workers that share nothing with this process."""
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
