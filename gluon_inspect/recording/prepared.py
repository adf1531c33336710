"""The process that a recording runs in: started for it, or split from one that has torch and Triton already.

Importing the two takes longer than compiling a small kernel. Who records more than once, or has other work to do
first, says so with `prepared`.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol

import gluon_inspect
from gluon_inspect.loading.scratch import scratch_folder
from gluon_inspect.recording.environment import child_environment

PREPARED = "--prepared"
_START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import gluon_inspect
del sys.path[0]
import runpy
runpy.run_module("gluon_inspect.recording.child", run_name="__main__", alter_sys=True)
"""
"""Finds this very package, then leaves the script's import path as Python would have made it."""


class Child(Protocol):
    """A recording process, leader of a group of its own. `status` is negative for a signal, None while it runs."""

    pid: int
    status: int | None

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it has ended, at the latest after so many seconds (None: it has)."""
        ...


def start_child(scratch: Path) -> Child:
    """A process that records the job in `scratch`: split from the prepared one, if there is one."""
    waiting = _prepared.get()
    split = None if waiting is None else waiting.split(scratch)
    return split or _Started(scratch)


def kill(child: Child) -> None:
    """Ends the child and whatever the script started below it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


@contextmanager
def prepared() -> Generator[None]:
    """Recordings of this thread inside the context find torch and Triton imported, which begins at once.

    Only on Linux, where the splitting of such a process is known to work; elsewhere nothing is prepared.
    """
    if sys.platform != "linux":
        yield
        return
    with scratch_folder(of_a_script=True) as scratch:
        waiting = _Waiting(scratch)
        token = _prepared.set(waiting)
        try:
            yield
        finally:
            _prepared.reset(token)
            waiting.end()


class _Started:
    """A process of its own."""

    def __init__(self, scratch: Path) -> None:
        self._process = _popen(scratch, str(scratch))
        self.pid = self._process.pid
        self.status: int | None = None

    def wait(self, seconds: float | None = None) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self.status = self._process.wait(seconds)
        return self.status is not None


class _Waiting:
    """The process that imports, then splits itself once for each folder that it is told."""

    def __init__(self, scratch: Path) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            descriptor = theirs.fileno()
            self._process = _popen(scratch, PREPARED, str(descriptor), passed=(descriptor,))

    def split(self, scratch: Path) -> Child | None:
        """None where it is not there any more."""
        with suppress(ConnectionError):
            self._socket.sendall(str(scratch).encode())
            if answer := _answer(self._socket):
                return _Split(int(answer), self._socket)
        return None

    def end(self) -> None:
        """What it has started ends with it."""
        self._socket.close()
        self._process.kill()
        self._process.wait()


class _Split:
    """A process whose parent tells how it ended."""

    def __init__(self, pid: int, waiting: socket.socket) -> None:
        self.pid = pid
        self.status: int | None = None
        self._socket = waiting

    def wait(self, seconds: float | None = None) -> bool:
        if self.status is None:
            self._socket.settimeout(seconds)
            with suppress(TimeoutError):
                self.status = int(_answer(self._socket) or -signal.SIGKILL)
            self._socket.settimeout(None)
        return self.status is not None


_prepared: ContextVar[_Waiting | None] = ContextVar("prepared", default=None)


def _answer(waiting: socket.socket) -> str:
    """One number in one message; empty where the other end is gone."""
    with suppress(ConnectionError):
        return waiting.recv(64).decode()
    return ""


def _popen(scratch: Path, *words: str, passed: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    package = str(Path(gluon_inspect.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _START, package, *words],
        stdin=subprocess.DEVNULL,
        stdout=2,
        env=child_environment(os.environ, scratch),
        start_new_session=True,
        pass_fds=passed,
    )
