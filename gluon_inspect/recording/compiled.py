"""What became of a recording's compilations: those under way, what they gave, and those that had to be ended."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gluon_inspect.errors import CaptureError
from gluon_inspect.loading.stored import find as find_packed
from gluon_inspect.loading.stored import keep, stored
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.recording.job import Job
from gluon_inspect.recording.journal import JournalReader
from gluon_inspect.recording.limits import why_refused
from gluon_inspect.targets import find

_LAST_LINES = 12
_LAST_BYTES = 4000
HERE = ""
"""Stands for the process of the script itself where a compilation is under way in it."""


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A compilation and where it writes: its dump, and the file of its passes from `at` bytes on."""

    name: str
    key: str
    dump: str
    passes: str
    at: int
    pid: int
    since: float


class Compilations:
    """By the kernels' hashes, in the order in which they were asked for."""

    def __init__(self, journal: JournalReader, job: Job) -> None:
        self._journal, self._job = journal, job
        self._names: dict[str, str] = {}
        self._configurations: dict[str, dict[str, str]] = {}
        self._kernels: dict[str, CompiledKernel | None] = {}
        self._refused: dict[str, str] = {}
        self._stopped: dict[str, str] = {}
        self.under_way: dict[str, UnderWay] = {}

    @property
    def count(self) -> int:
        """Of those that have ended."""
        return sum(kernel is not None for kernel in self._kernels.values())

    def ended(self) -> Iterator[tuple[str, CompiledKernel]]:
        """Each hash with its kernel."""
        yield from ((name, kernel) for name, kernel in self._kernels.items() if kernel is not None)

    def refused(self, name: str) -> str:
        """Why the target does not run a kernel; empty: it does."""
        return self._refused.get(name, "")

    def take(self, event: Mapping[str, Any]) -> None:
        """One was asked for, begins, has given a kernel or why there is none, or has ended without a word."""
        name = str(event["id"])
        match event["event"]:
            case "queued":
                self._kernels.setdefault(name, None)
                self._names[name] = str(event["name"])
                self._configurations[name] = {str(k): str(v) for k, v in event["configuration"].items()}
            case "compiling":
                self.under_way[name] = _begun(event)
            case "compiled":
                self._compiled(name, event)
            case _:
                self._give_up(name, f"the compiler died ({event['how']})")

    def _compiled(self, name: str, event: Mapping[str, Any]) -> None:
        self.under_way.pop(HERE, None)
        self.under_way.pop(name, None)
        if self._kernels.get(name) is not None:
            return
        content = self._journal.get(event["kernel"]) if "kernel" in event else find_packed(str(event["cached"]))
        if content is None:
            raise CaptureError("the cache has lost a kernel meanwhile")
        kernel = self._kernels[name] = replace(stored(content), configuration=self._configurations.get(name, {}))
        self._refused[name] = kernel.error or why_refused(kernel.name, kernel.metadata, find(kernel.target))
        if self._job.cached and "kernel" in event and not kernel.error:
            keep(name, content)

    def give_up_all(self, why: str) -> None:
        """The recording is over: what is not compiled will not be."""
        for name in [name for name, kernel in self._kernels.items() if kernel is None]:
            self._give_up(name, why)

    def _give_up(self, name: str, why: str) -> None:
        under_way = self.under_way.pop(name, None)
        if self._kernels.get(name) is None:
            said = [] if under_way is None else self.last_lines(under_way)
            error = self._refused[name] = "\n".join([self._stopped.get(name, why), *said])
            configuration = self._configurations.get(name, {})
            called, target = self._names.get(name, "?"), self._job.target
            self._kernels[name] = CompiledKernel(called, target, error=error, configuration=configuration)

    def last_lines(self, under_way: UnderWay) -> list[str]:
        """What the compiler wrote to standard error at last."""
        tail = self._journal.peek(under_way.dump)[-_LAST_BYTES:].decode(errors="replace")
        return tail.splitlines()[-_LAST_LINES:]

    def dump_bytes(self, under_way: UnderWay) -> int:
        """What a compilation has written so far."""
        return self._journal.size(under_way.dump) + max(0, self._journal.size(under_way.passes) - under_way.at)

    def stop(self, name: str, why: str) -> None:
        """Ends one that is under way in a process of its own, with the assembler that it runs."""
        self._stopped[name] = why
        pid = self.under_way.pop(name).pid
        for each in (*_children_of(pid), pid) if pid > 1 else ():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGKILL)


def _begun(event: Mapping[str, Any]) -> UnderWay:
    return UnderWay(
        str(event["name"]),
        str(event["key"]),
        str(event["dump"]),
        str(event["passes"]),
        int(event["at"]),
        int(event["pid"]),
        time.monotonic(),
    )


def _children_of(pid: int) -> tuple[int, ...]:
    with suppress(OSError):
        return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()))
    return ()
