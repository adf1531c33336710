"""Recording a script without a GPU: a child process runs it, the parent reads its journal."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gluon_inspect.errors import CaptureError
from gluon_inspect.loading.scratch import scratch_folder
from gluon_inspect.model.artifact import Capture
from gluon_inspect.recording.collect import Collection
from gluon_inspect.recording.compiled import HERE, Compilations, UnderWay
from gluon_inspect.recording.exploration import Exploration
from gluon_inspect.recording.journal import JournalReader
from gluon_inspect.recording.prepared import Child, kill, start_child
from gluon_inspect.recording.scripts import Wanted, make_job
from gluon_inspect.recording.substitution import Substitution
from gluon_inspect.targets import find
from gluon_inspect.wording.numbers import plural

POLL_SECONDS = 0.05
MOST_SKIPPED = 4
"""Kernels that a script is run again without: each run costs what the first one did."""
MOST_DUMP_BYTES = 4 << 30
"""A dump of a large kernel has tens of megabytes; a compiler that goes round in circles fills the disk."""
MOST_COMPILING_SECONDS = 1200
"""Of one kernel, where no timeout is given: the slowest known take minutes."""
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
    texts: Mapping[str, str] = MappingProxyType({}),
    progress: ProgressCallback | None = None,
    timeout_seconds: float | None = None,
    all_configs: bool = False,
    only_launches: int | None = None,
    assumed: Mapping[str, int | float | bool] = MappingProxyType({}),
    once: bool = False,
    compilers: int = 1,
    cached: bool = False,
    exploration: Exploration | None = None,
) -> Capture:
    """Runs `script` in a child process and returns every kernel that it compiled or launched.

    `script` is a Python file, a notebook or, with `module`, a module's dotted name. "file.py::name" runs one
    function of it, or one pytest test where the name begins with "test"; "file.py::" runs all its tests, as
    `tests` and a name like test_x.py do. `kernel` keeps only kernels of that name.
    `substitutions` replace constexpr layouts at launch. `texts` stand in for files, by their whole paths, that the
    script runs or imports. Of an autotuned kernel's configurations the first few are launched, and one for each
    later key; with `all_configs` all, each time.
    `only_launches` ends the script after so many. `assumed` has what it reads from the GPU where a kernel would
    have computed that, by place ("file.py:12"). `exploration`: configurations to try. SIGTERM ends the recording;
    what was recorded so far is returned.
    A kernel whose compilation ends the script (it raises, or the compiler dies or goes round in circles) becomes
    one with an error, and the script is run again without it, unless `once`: the kernels after it count too.
    `compilers`: compilations at once; with `cached`, what earlier runs compiled is taken from the tool's cache.
    What the script prints goes to standard error. A script that raised gives the capture of what came
    before, with `error` set. `progress` is called every POLL_SECONDS; what it raises ends the recording and
    the child, and comes through. Raises CaptureError if nothing was recorded, UsageError for an unknown target.
    """
    if not hasattr(os, "killpg"):
        raise CaptureError(
            "scripts are recorded on Linux and macOS, where all that they start can be ended with them",
            hint="record there with `gluon-inspect capture SCRIPT -o FILE`, and report on FILE here",
        )
    wanted = Wanted(
        script,
        find(target).name,
        tuple(argv),
        function or "",
        kernel or "",
        module,
        tests,
        tuple(substitutions),
        tuple(texts.items()),
        all_configs,
        only_launches or 0,
        tuple(assumed.items()),
        exploration,
    )
    limits = _Limits(timeout_seconds)
    skipped: dict[str, str] = {}
    best: Capture | None = None
    most = 0 if once or substitutions or texts else MOST_SKIPPED
    while True:
        with scratch_folder(of_a_script=True) as scratch:
            job = replace(
                make_job(wanted, scratch), skipped=tuple(skipped.items()), compilers=compilers, cached=cached
            )
            job.write(scratch / "job.json")
            collection = Collection(JournalReader(scratch), job)
            status = _run_child(scratch, collection, progress, limits)
            culprit = collection.culprit(status)
            again = culprit is not None and culprit[0] not in skipped and len(skipped) < most and not limits.over
            best = _better(best, collection, status, last=not again)
        if culprit is None or not again:
            return _with_note(best, len(skipped))
        skipped[culprit[0]] = culprit[1]


def _better(best: Capture | None, collection: Collection, status: int, *, last: bool) -> Capture:
    """What a run gave, unless an earlier one gave more kernels; CaptureError where none gave any."""
    try:
        capture = collection.capture(status)
    except CaptureError:
        if best is None and last:
            raise
        capture = Capture("", ())
    return capture if best is None or len(capture.kernels) >= len(best.kernels) else best


def _with_note(capture: Capture, runs: int) -> Capture:
    if not runs:
        return capture
    left_out = f"{plural(runs, 'kernel')} whose compilation ended it"
    note = f"the script was run {runs + 1} times, at last without {left_out}"
    return replace(capture, notes=(*capture.notes, note))


class _Limits:
    """How long a recording may take, and each compilation in it; None: that is not bounded."""

    def __init__(self, timeout_seconds: float | None) -> None:
        self.timeout_seconds = timeout_seconds
        self._deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        self._compiling_seconds = MOST_COMPILING_SECONDS if timeout_seconds is None else timeout_seconds / 2

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self._deadline is not None and time.monotonic() > self._deadline

    def exceeded(self, kernels: Compilations, each: UnderWay) -> str:
        """Why a compilation is to be ended; empty: it may go on."""
        took = time.monotonic() - each.since
        if took > self._compiling_seconds:
            return f"stopped after {round(took)} s while compiling {each.name}"
        if kernels.dump_bytes(each) > MOST_DUMP_BYTES:
            how = f"its dump passed {MOST_DUMP_BYTES >> 30} GiB, as an endless pass's does"
            return f"stopped while compiling {each.name}: {how}"
        return ""


def _run_child(scratch: Path, collection: Collection, progress: ProgressCallback | None, limits: _Limits) -> int:
    """Runs the child to its end, following its journal; its exit status, negative for a signal."""
    child = start_child(scratch)
    try:
        with _stopped_by_sigterm(collection):
            _follow(child, collection, progress, limits)
    finally:
        kill(child)
    collection.read()
    if collection.terminated and not collection.kernels.count:
        signal.raise_signal(signal.SIGTERM)  # nothing to keep: it ends this process as it would any other
    return child.status or 0


def _follow(child: Child, collection: Collection, progress: ProgressCallback | None, limits: _Limits) -> None:
    while not child.wait(POLL_SECONDS):
        collection.read()
        if progress is not None:
            progress(Progress(collection.kernels.count, collection.launches, collection.compiling))
        if limits.over:
            collection.timed_out = limits.timeout_seconds
            return
        if collection.terminated or _ends(collection, limits):
            return


def _ends(collection: Collection, limits: _Limits) -> bool:
    """Ends compilations that take too much; one in the script's own process ends the recording."""
    for name, each in list(collection.kernels.under_way.items()):
        if why := limits.exceeded(collection.kernels, each):
            if name == HERE:
                collection.stopped = why
                return True
            collection.kernels.stop(name, why)
    return False


@contextmanager
def _stopped_by_sigterm(collection: Collection) -> Generator[None]:
    """Whoever ends this process, a CI with its limit, gets what was recorded.

    Only a main thread can listen, and a worker is ended because nobody waits for it any more.
    """
    if threading.current_thread() is not threading.main_thread() or multiprocessing.parent_process():
        yield
        return

    def stop(_signal: int, _frame: Any) -> None:
        collection.terminated = True

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
