"""Recording a script without a GPU: a child process runs it, the parent reads its journal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gluon_inspect.loading.scratch import scratch_folder
from gluon_inspect.model.artifact import Capture
from gluon_inspect.recording.collect import MOST_DUMP_BYTES, Collection
from gluon_inspect.recording.journal import JournalReader
from gluon_inspect.recording.prepared import Child, kill, start_child
from gluon_inspect.recording.scripts import Wanted, make_job
from gluon_inspect.recording.substitution import Substitution
from gluon_inspect.targets import find

POLL_SECONDS = 0.05
ProgressCallback = Callable[["Progress"], None]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a recording is: counts so far, and the kernel that is being compiled (empty: none)."""

    compilations: int
    launches: int
    compiling: str = ""


def record(
    script: str,
    target: str,
    *,
    argv: Sequence[str] = (),
    function: str | None = None,
    kernel: str | None = None,
    module: bool = False,
    tests: bool = False,
    substitutions: Sequence[Substitution] = (),
    folder: str = "",
    progress: ProgressCallback | None = None,
    timeout_seconds: float | None = None,
    all_configs: bool = False,
) -> Capture:
    """Runs `script` in a child process and returns every kernel that it compiled or launched.

    `script` is a Python file, a notebook or, with `module`, a module's dotted name. "file.py::name" runs one
    function of it, or one pytest test where the name begins with "test"; "file.py::" runs all its tests, as
    `tests` and a name like test_x.py do. `kernel` keeps only kernels of that name.
    `substitutions` replace constexpr layouts at launch. `folder` comes first on the script's import path, in
    place of its own. Of an autotuned kernel's configurations the first few are launched, and one for each
    later key; with `all_configs` all, each time.
    What the script prints goes to standard error. A script that raised gives the capture of what came
    before, with `error` set. `progress` is called every POLL_SECONDS; what it raises ends the recording and
    the child, and comes through. Raises CaptureError if nothing was recorded, UsageError for an unknown target.
    """
    wanted = Wanted(
        script,
        find(target).name,
        tuple(argv),
        function or "",
        kernel or "",
        module,
        tests,
        tuple(substitutions),
        folder,
        all_configs,
    )
    with scratch_folder(of_a_script=True) as scratch:
        job = make_job(wanted, scratch)
        job.write(scratch / "job.json")
        collection = Collection(JournalReader(scratch), job)
        status = _run_child(scratch, collection, progress, timeout_seconds)
        return collection.capture(status)


def _run_child(
    scratch: Path, collection: Collection, progress: ProgressCallback | None, timeout_seconds: float | None
) -> int:
    """Runs the child to its end, following its journal; its exit status, negative for a signal."""
    child = start_child(scratch)
    try:
        _follow(child, collection, progress, timeout_seconds)
    finally:
        kill(child)
    collection.read()
    return child.status or 0


def _follow(
    child: Child,
    collection: Collection,
    progress: ProgressCallback | None,
    timeout_seconds: float | None,
) -> None:
    deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
    while not child.wait(POLL_SECONDS):
        collection.read()
        if progress is not None:
            progress(Progress(collection.compilations, collection.launches, collection.compiling))
        if deadline is not None and time.monotonic() > deadline:
            collection.timed_out = timeout_seconds
            return
        if collection.dump_bytes > MOST_DUMP_BYTES:
            collection.overflowed = True
            return
