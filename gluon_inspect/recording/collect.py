"""The journal's events put together: kernels with their launches, notes, and how it ended."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gluon_inspect.errors import CaptureError, InspectError, NothingLaunched
from gluon_inspect.loading.content import read_text
from gluon_inspect.loading.encoding import decode_error, decode_launch
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch, ScriptError
from gluon_inspect.recording.compiled import HERE, Compilations
from gluon_inspect.recording.inductor import original_operations
from gluon_inspect.recording.job import Job, ScriptKind
from gluon_inspect.recording.journal import JournalReader
from gluon_inspect.recording.missing import how_to_install
from gluon_inspect.wording.numbers import plural

_BROKEN = (
    InspectError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    OSError,
    RecursionError,
)
"""What an event, or a blob that it names, can raise where somebody else wrote it."""
_MOST_SOURCE_BYTES = 64 << 20


class Collection:
    """Grows while the child writes; `capture` closes it."""

    def __init__(self, journal: JournalReader, job: Job) -> None:
        self._journal = journal
        self._job = job
        self.kernels = Compilations(journal, job)
        self._launches: dict[str, tuple[str, Launch]] = {}
        self._counts: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        """Kernels' files as they were when the first of them was compiled, by their blobs."""
        self._said: dict[str, list[str]] = {"note": [], "generated": []}
        """Notes, and Inductor's code for functions that the script compiled."""
        self._error: ScriptError | None = None
        self._missing = ""
        self._finished = False
        self._files: tuple[str, ...] | None = None
        self._blamed = ""
        self.timed_out: float | None = None
        self.terminated = False
        """Ended since this process was asked to end."""
        self.stopped = ""
        """Why it was ended where a compilation in the script's own process took too much."""

    @property
    def compiling(self) -> str:
        """The kernels that are being compiled."""
        return ", ".join(dict.fromkeys(each.name for each in self.kernels.under_way.values()))

    @property
    def launches(self) -> int:
        """Launches so far, repeated ones counted each time."""
        return sum(self._counts.values())

    def read(self) -> bool:
        """Takes in new events; whether there were any."""
        events = list(self._journal.new_events())
        for event in events:
            try:
                self._take(event)
            except _BROKEN:
                self._journal.foreign += 1
        return bool(events)

    def _take(self, event: Mapping[str, Any]) -> None:
        match event["event"]:
            case "queued" | "compiling" | "compiled" | "died":
                self.kernels.take(event)
            case "source":
                self._texts[event["file"]] = event["text"]
            case "launch":
                launch = decode_launch(event["launch"], self._journal.get)
                self._launches[launch.id] = (event["kernel"], launch)
                self._counts[launch.id] = 1
            case "again":
                self._again(event["launch"], trial=bool(event.get("trial")))
            case "notes" | "generated" as kind:
                self._say(kind, event)
            case "error":
                self._error = decode_error(event["error"])
                self._blamed = str(event.get("by", ""))
            case "missing":
                self._missing = event["package"]
            case "opened":
                read = (self._job.notebook,) if self._job.notebook else ()  # by us, not by the child
                self._files = None if event["files"] is None else (*event["files"], *read)
            case "finished":
                self._finished = True
            case _:
                return

    def _again(self, name: str, *, trial: bool) -> None:
        """One more launch of the same; one that the tuner did not make shows that the launch is no mere trial."""
        self._counts[name] += 1
        of, launch = self._launches[name]
        self._launches[name] = (of, replace(launch, trial=launch.trial and trial))

    def _say(self, kind: str, event: Mapping[str, Any]) -> None:
        """Notes come all at once, again and again; code piece by piece."""
        if kind == "notes":
            self._said["note"] = list(event["texts"])
        else:
            self._said[kind].append(event["text"])

    def capture(self, status: int) -> Capture:
        """The finished capture; CaptureError when there is nothing in it."""
        if self._missing:
            raise CaptureError(
                f"recording a script needs {self._missing}, which is not installed",
                hint=f"{how_to_install(self._missing)}; or report on an IR file",
            )
        error = self._error or self._death(status)
        self.kernels.give_up_all(f"not compiled: {error.message if error else 'its process was ended'}")
        kernels = self._with_origins(self._wanted())
        if not kernels:
            self._nothing(error)
        return Capture(self._origin(), kernels, self._sources(kernels), self._notes(), error, self._files)

    def culprit(self, status: int) -> tuple[str, str] | None:
        """The compilation that ended the script before its end, by its key, and how; None: none did."""
        if self.terminated:
            return None
        if self._finished:
            told = [kernel.error for _, kernel in self.kernels.ended() if kernel.error]
            return (self._blamed, told[-1]) if self._blamed and told else None
        death, here = self._death(status), self.kernels.under_way.get(HERE)
        return (here.key, death.message) if here is not None and death is not None else None

    def _notes(self) -> tuple[str, ...]:
        launched = {of for of, _ in self._launches.values()}
        fine = [name for name, kernel in self.kernels.ended() if name in launched and not kernel.error]
        refused = map(self.kernels.refused, fine)
        said: dict[str, None] = dict.fromkeys([*self._said["note"], *filter(None, refused)])
        foreign = self._journal.foreign
        if not foreign:
            return tuple(said)
        told = f"{plural(foreign, 'line')} of the recording's journal cannot be read: the script wrote to it, and "
        return (*said, f"{told}what stood there is missing")

    def _death(self, status: int) -> ScriptError | None:
        if self._finished:
            return None
        while_ = f" while compiling {self.compiling}" if self.compiling else ""
        if self.timed_out is not None:
            return ScriptError(f"stopped after {self.timed_out:g} s{while_}")
        if self.terminated:
            return ScriptError(f"stopped by SIGTERM{while_}")
        if self.stopped:
            return ScriptError(self.stopped)
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        here = self.kernels.under_way.get(HERE)
        while_ = f" while compiling {here.name}" if here else ""
        tail = self.kernels.last_lines(here) if here else ()
        return ScriptError(f"the recording process died ({how}){while_}", traceback="\n".join(tail))

    def _wanted(self) -> tuple[CompiledKernel, ...]:
        wanted = self._job.kernel
        made: dict[str, list[Launch]] = {}
        for of, launch in self._launches.values():
            made.setdefault(of, []).append(replace(launch, count=self._counts[launch.id]))
        return tuple(
            replace(kernel, launches=() if kernel.error else tuple(made.get(name, ())))
            for name, kernel in self.kernels.ended()
            if (not wanted or kernel.name == wanted) and not _is_tooling(kernel)
        )

    def _with_origins(self, kernels: tuple[CompiledKernel, ...]) -> tuple[CompiledKernel, ...]:
        """Kernels of an Inductor file say in their metadata what they were made from."""
        saved = original_operations(_read(self._job.script) or "")
        generated = [(code, original_operations(code)) for code in self._said["generated"]]

        def with_origin(kernel: CompiledKernel) -> CompiledKernel:
            own = (self._text(kernel.source_file) or "").strip()
            origins = next((names for code, names in generated if own and own in code), saved)
            if kernel.name not in origins:
                return kernel
            return replace(kernel, metadata={**kernel.metadata, "original_operations": origins[kernel.name]})

        return tuple(with_origin(kernel) for kernel in kernels)

    def _nothing(self, error: ScriptError | None) -> None:
        if names := sorted({kernel.name for _, kernel in self.kernels.ended()}):
            raise CaptureError(
                f"the script has no kernel named {self._job.kernel!r}", hint=f"it has {', '.join(names)}"
            )
        if error is None:
            raise NothingLaunched(f"{self._origin()} launched no Triton or Gluon kernel", hint=self._advice())
        place = f"{error.file}:{error.line}: " if error.file else ""
        raise CaptureError(f"{place}{error.message}", hint="", excerpt=error.traceback.rstrip())

    def _advice(self) -> str:
        if self._job.kind is ScriptKind.FILE and "\ndef test_" in (_read(self._job.script) or ""):
            return "its tests were not run: write file.py:: to run them, file.py::test_x for one"
        return "does it need arguments (after --), a function (file.py::name) or a test (file.py::test_x)?"

    def _origin(self) -> str:
        return f"{self._job.shown}::{self._job.selector}" if self._job.selector else self._job.shown

    def _sources(self, kernels: tuple[CompiledKernel, ...]) -> dict[str, str]:
        files = {self._job.shown, *(kernel.source_file for kernel in kernels)}
        return {name: text for name in sorted(files) if (text := self._text(name)) is not None}

    def _text(self, name: str) -> str | None:
        """A file that the script wrote and removed again was read in time."""
        if (text := dict(self._job.texts).get(name)) is not None:
            return text
        if name in self._texts:
            return self._journal.get(self._texts[name]).decode(errors="replace")
        return _read(name)


def _is_tooling(kernel: CompiledKernel) -> bool:
    """Proton compiles kernels of its own, which are nobody's to improve."""
    return "/triton/profiler/" in kernel.source_file


def _read(name: str) -> str | None:
    try:
        return read_text(Path(name), _MOST_SOURCE_BYTES) if name else None
    except CaptureError:
        return None
