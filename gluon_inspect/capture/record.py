"""Recording a script without a GPU: a child process runs it, the parent reads its journal."""

from __future__ import annotations

import ast
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
from gluon_inspect.capture.collect import Collection
from gluon_inspect.capture.environment import child_environment
from gluon_inspect.capture.job import Job, ScriptKind
from gluon_inspect.capture.journal import JournalReader
from gluon_inspect.errors import CaptureError, Position
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
    progress: ProgressCallback | None = None,
    timeout_seconds: float | None = None,
) -> Capture:
    """Runs `script` in a child process and returns every kernel that it compiled or launched.

    `script` is a file (or, with `module`, a module's dotted name); "file.py::name" runs one function of
    it, or one pytest test where the name begins with "test". `kernel` keeps only kernels of that name.
    What the script prints goes to standard error. A script that raised gives the capture of what came
    before, with `error` set. Raises CaptureError if nothing was recorded, UsageError for an unknown target.
    """
    job = _job(script, find(target).name, tuple(argv), function, kernel or "", module, tests)
    with tempfile.TemporaryDirectory(prefix="gluon-inspect-") as folder:
        scratch = Path(folder)
        job.write(scratch / "job.json")
        collection = Collection(JournalReader(scratch), job)
        status = _run_child(scratch, collection, progress, timeout_seconds)
        return collection.capture(status)


def _job(
    script: str, target: str, argv: tuple[str, ...], function: str | None, kernel: str, module: bool, tests: bool
) -> Job:
    if module:
        return Job(script, ScriptKind.MODULE, target, "", argv, kernel)
    file, _, selector = script.partition("::")
    selector = function or selector
    path = Path(file)
    _check_script(path, file)
    kind = _kind(selector, tests)
    return Job(str(path.resolve()), kind, target, selector, argv, kernel)


def _kind(selector: str, tests: bool) -> ScriptKind:
    last = selector.rpartition("::")[2]
    if tests or last.startswith(("test", "Test")):
        return ScriptKind.TESTS
    return ScriptKind.FUNCTION if selector else ScriptKind.FILE


def _check_script(path: Path, shown: str) -> None:
    """A missing file or a syntax error is told before a process is started for it."""
    if not path.is_file():
        raise CaptureError(f"no such script: {shown}", hint="give a Python file, or -m and a module's name")
    source = path.read_bytes()
    try:
        ast.parse(source, filename=shown)
    except SyntaxError as error:
        raise CaptureError(
            f"the script has a syntax error: {error.msg}",
            position=Position(shown, error.lineno or 0, error.offset or 0),
            excerpt=_excerpt(error),
        ) from None
    except ValueError as error:
        raise CaptureError(f"not a Python script: {error}", position=Position(shown)) from None


def _excerpt(error: SyntaxError) -> str:
    line = (error.text or "").rstrip("\n").replace("\t", " ")
    return f"  {line}\n  {' ' * max((error.offset or 1) - 1, 0)}^" if line else ""


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
        if collection.read() and progress is not None:
            progress(Progress(collection.compilations, collection.launches, collection.compiling))
        if deadline is not None and time.monotonic() > deadline:
            collection.timed_out = timeout_seconds
            return
        time.sleep(POLL_SECONDS)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Ends the child and whatever the script started below it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
