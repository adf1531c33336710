"""Compilations in processes split off from the script's, so that it goes on and a crash costs one kernel.

A split process has all that the script has defined; nothing is sent to it. It takes a few of the orders that wait,
says of each what came of it through a pipe, and ends: what the compiler took of memory is given back. To split one
costs about half of a small compilation, hence a few.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from gluon_inspect.recording.lifeline import end_with_parent

_FORK, _EXIT, _GETPID, _WAITPID = getattr(os, "fork", None), os._exit, os.getpid, os.waitpid
"""Taken before the script runs: what it puts in their places is not what starts a compilation."""
_FEW = 8
_FEW_SECONDS = 5.0
_FEW_BYTES = 256 << 20
"""A process that has worked so long, or grown by so much, gives the rest of its orders back."""
MOST_BYTES = 8 << 30
"""That a compilation may take beyond what the script has (RLIMIT_DATA)."""
_PIECE_BYTES = 1 << 16


class Task:
    """One compilation elsewhere. `said`: what it told at its end, one line; `died`: how, where it did not."""

    def __init__(self, work: Callable[[], bytes]) -> None:
        self.work = work
        self.said = b""
        self.died = ""

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return bool(self.said or self.died)


class _Process:
    """A split process, the tasks that it has not told of yet, and what it has told of the next."""

    def __init__(self, pid: int, tasks: Sequence[Task]) -> None:
        self.pid, self.tasks, self.said = pid, deque(tasks), b""


class Workers:
    """Splits off at most `slots` processes at a time; `tell_death` hears of each task that one died in."""

    def __init__(self, slots: int, tell_death: Callable[[Task], None], most_bytes: int = MOST_BYTES) -> None:
        self._slots = slots
        self._tell_death = tell_death
        self._most_bytes = most_bytes
        self._waiting: deque[Task] = deque()
        self._running: dict[int, _Process] = {}

    @staticmethod
    def are_possible(slots: int) -> bool:
        """Whether this system can split a process."""
        return slots > 0 and _FORK is not None and sys.platform == "linux"

    def add(self, work: Callable[[], bytes]) -> Task:
        """Work to be done elsewhere."""
        task = Task(work)
        self._waiting.append(task)
        self.look()
        return task

    def wait(self, task: Task) -> None:
        """Until it has ended; nothing that waits is done before it."""
        if task in self._waiting:
            self._waiting.remove(task)
            self._waiting.appendleft(task)
        while not task.is_done:
            self.look(None)

    def finish(self) -> None:
        """Until all have ended."""
        while self._waiting or self._running:
            self.look(None)

    def look(self, seconds: float | None = 0) -> None:
        """Hears what has ended, at the latest after so many seconds (None: something has), and begins what can."""
        self._begin()
        ready, _, _ = select.select(list(self._running), [], [], seconds)
        for pipe in ready:
            self._hear(pipe)
        self._begin()

    def _begin(self) -> None:
        while self._waiting and len(self._running) < self._slots:
            count = min(_FEW, -(-len(self._waiting) // self._slots))
            self._split([self._waiting.popleft() for _ in range(count)])

    def _split(self, tasks: Sequence[Task]) -> None:
        ours, theirs = os.pipe()
        parent, pid = _GETPID(), _FORK() if _FORK else -1
        if pid == 0:
            self._run(tasks, theirs, parent)
        os.close(theirs)
        self._running[ours] = _Process(pid, tasks)

    def _hear(self, pipe: int) -> None:
        process = self._running[pipe]
        piece = os.read(pipe, _PIECE_BYTES)
        *lines, process.said = (process.said + piece).split(b"\n")
        for line in lines:
            process.tasks.popleft().said = line
        if not piece:
            os.close(pipe)
            self._end(self._running.pop(pipe))

    def _end(self, process: _Process) -> None:
        """What a process left undone is another's; where it died, all but the task that it died in."""
        status = -signal.SIGKILL
        with suppress(ChildProcessError):
            status = os.waitstatus_to_exitcode(_WAITPID(process.pid, 0)[1])
        if status != 0 and process.tasks:
            task = process.tasks.popleft()
            task.died = signal.Signals(-status).name if status < 0 else f"status {status}"
            self._tell_death(task)
        self._waiting.extendleft(reversed(process.tasks))

    def _run(self, tasks: Sequence[Task], theirs: int, parent: int) -> NoReturn:
        status = 1
        try:
            end_with_parent(parent)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _limit_memory(self._most_bytes)
            end, most = time.monotonic() + _FEW_SECONDS, _peak_bytes() + _FEW_BYTES
            for task in tasks:
                said = task.work() + b"\n"
                while said:
                    said = said[os.write(theirs, said) :]
                if time.monotonic() > end or _peak_bytes() > most:
                    break
            status = 0
        finally:
            _EXIT(status)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _limit_memory(most_bytes: int) -> None:
    """Private memory beyond what the process has now: shared libraries and reserved addresses do not count."""
    with suppress(OSError, ValueError):
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        (now,) = (int(line.split()[1]) << 10 for line in lines if line.startswith("VmData:"))
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (now + most_bytes, hard))
