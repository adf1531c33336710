"""A limit in seconds for work that nobody can bound beforehand: it ends in an error and does not hang.

The counted limits (elements, programs, bytes) come first and depend on the input alone; this one is for what they
do not foresee. Without seconds there is no limit, and what comes of the work depends on its input alone.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

from gluon_inspect.errors import InspectError

T = TypeVar("T")
_AGAIN_SECONDS = 1.0
"""Between two calls to end: one that falls into a destructor is swallowed there."""


class OutOfTime(InspectError):
    """Work that was given up when its seconds were over."""


class _Expired(BaseException):
    """Raised inside the work; no handler of the work's own catches it."""


def within(seconds: float | None, what: str, work: Callable[[], T]) -> T:
    """What `work` returns; OutOfTime (`what`, "not done within N s") when it takes longer. None, 0: no limit.

    The exception is raised between two instructions of Python, in any thread and on any system; one call into C
    that takes long ends first. Two limits are not put into each other.
    """
    if not seconds:
        return work()
    watch = _Watch(seconds)
    try:
        try:
            watch.start()
            return work()
        finally:
            watch.stop()
    except _Expired:
        raise OutOfTime(
            f"{what} within {seconds:g} s", hint="--analysis-timeout 0 waits as long as it takes"
        ) from None


class _Watch:
    """A thread that calls another to end."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._working = threading.get_ident()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._called = False

    def start(self) -> None:
        """Begin to count."""
        threading.Thread(target=self._watch, name="deadline", daemon=True).start()

    def stop(self) -> None:
        """The work is over; a call that has not reached it yet is taken back and raised here instead."""
        with self._lock:
            self._over.set()
        if self._called:
            _interrupt(self._working, None)
            raise _Expired

    def _watch(self) -> None:
        wait = self._seconds
        while not self._over.wait(wait):
            with self._lock:
                if not self._over.is_set():
                    self._called = True
                    _interrupt(self._working, _Expired)
            wait = _AGAIN_SECONDS


def _interrupt(thread: int, error: type[BaseException] | None) -> None:
    """Raise `error` in a thread at its next instruction of Python; None takes back what was not raised yet."""
    raised = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
