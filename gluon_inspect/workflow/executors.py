"""Where tasks run that do not run here. Anything with Executor's interface can take its place."""

from __future__ import annotations

import os
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context

_MOST = 8
"""Each worker records in a process of its own, with torch and Triton: half a gigabyte."""


def processes(jobs: int) -> Executor:
    """Fresh processes (spawned: a fork would copy half-held locks)."""
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


def default_jobs() -> int:
    """As many as this process may use cores, within reason."""
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, _MOST)
