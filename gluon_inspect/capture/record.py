"""Recording a script without a GPU: a child process runs it, the parent reads its journal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import gluon_inspect
from gluon_inspect.capture.collect import MOST_DUMP_BYTES, Collection
from gluon_inspect.capture.environment import child_environment
from gluon_inspect.capture.journal import JournalReader
from gluon_inspect.capture.scripts import Wanted, make_job
from gluon_inspect.capture.substitution import Substitution
from gluon_inspect.model.artifact import Capture
from gluon_inspect.targets import find

POLL_SECONDS = 0.05
_START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import gluon_inspect
del sys.path[0]
import runpy
runpy.run_module("gluon_inspect.capture.child", run_name="__main__", alter_sys=True)
"""
"""Finds this very package, then leaves the script's import path as Python would have made it."""

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
) -> Capture:
    """Runs `script` in a child process and returns every kernel that it compiled or launched.

    `script` is a Python file, a notebook or, with `module`, a module's dotted name. "file.py::name" runs one
    function of it, or one pytest test where the name begins with "test"; "file.py::" runs all its tests, as
    `tests` and a name like test_x.py do. `kernel` keeps only kernels of that name.
    `substitutions` replace constexpr layouts at launch. `folder` comes first on the script's import path, in
    place of its own.
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
    )
    with tempfile.TemporaryDirectory(prefix="gluon-inspect-") as folder:
        scratch = Path(folder)
        job = make_job(wanted, scratch)
        job.write(scratch / "job.json")
        collection = Collection(JournalReader(scratch), job)
        status = _run_child(scratch, collection, progress, timeout_seconds)
        return collection.capture(status)


def _run_child(
    scratch: Path, collection: Collection, progress: ProgressCallback | None, timeout_seconds: float | None
) -> int:
    """Runs the child to its end, following its journal; its exit status, negative for a signal."""
    package = str(Path(gluon_inspect.__file__).parent.parent)
    command = [sys.executable, "-P", "-c", _START, package, str(scratch)]
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=2,
        env=child_environment(os.environ, scratch),
        start_new_session=True,
    )
    try:
        _follow(child, collection, progress, timeout_seconds)
    finally:
        _kill(child)
    collection.read()
    return child.returncode


def _follow(
    child: subprocess.Popen[bytes],
    collection: Collection,
    progress: ProgressCallback | None,
    timeout_seconds: float | None,
) -> None:
    deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
    while child.poll() is None:
        collection.read()
        if progress is not None:
            progress(Progress(collection.compilations, collection.launches, collection.compiling))
        if deadline is not None and time.monotonic() > deadline:
            collection.timed_out = timeout_seconds
            return
        if collection.dump_bytes > MOST_DUMP_BYTES:
            collection.overflowed = True
            return
        time.sleep(POLL_SECONDS)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Ends the child and whatever the script started below it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
