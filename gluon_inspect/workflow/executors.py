"""Where tasks run that do not run here. Anything with Executor's interface can take its place."""

from __future__ import annotations

import os
import signal
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from gluon_inspect.recording.lifeline import end_with_parent

_MOST = 8
"""Each worker records in a process of its own, with torch and Triton: half a gigabyte."""


def processes(jobs: int) -> Executor:
    """Fresh processes (spawned: a fork would copy half-held locks)."""
    return _Pool(jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(os.getpid(),))


class _Pool(ProcessPoolExecutor):
    """Ends its workers, and they theirs, where the work is given up."""

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        if kind is not None:
            workers: dict[int, Any] = getattr(self, "_processes", None) or {}
            for worker in list(workers.values()):
                worker.terminate()
            self.shutdown(wait=False, cancel_futures=True)
        super().__exit__(kind, *rest)


def _begin(parent: int) -> None:
    """A worker ends with the process that it works for, and takes its recordings with it."""
    signal.signal(signal.SIGTERM, _terminated)
    end_with_parent(parent, signal.SIGTERM)


def _terminated(*_: object) -> None:
    raise SystemExit(128 + signal.SIGTERM)


def default_jobs() -> int:
    """As many as this process may use cores, within reason."""
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, _MOST)
