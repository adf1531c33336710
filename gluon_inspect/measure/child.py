"""`python -m gluon_inspect.measure.child FOLDER [profile]`: runs the folder's job on the GPU here.

A script's distinct launches are timed before the script makes them, and what they wrote meanwhile is put back;
those of a capture are made from it. With `profile`, the profiler around this process is switched on for the
first launch of each alone.
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gluon_inspect.loading.save import load_capture
from gluon_inspect.measure.clocks import clock_reader
from gluon_inspect.measure.keys import KEYS
from gluon_inspect.measure.saved import CAPTURE, RESERVE_BYTES, make_again
from gluon_inspect.measure.snapshot import Snapshot
from gluon_inspect.measure.timing import Timer, copy_bandwidth
from gluon_inspect.recording.child.failures import script_error
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.child.replay import Distinct, Replay
from gluon_inspect.recording.child.script import run_script
from gluon_inspect.recording.job import Job
from gluon_inspect.recording.journal import JournalWriter
from gluon_inspect.recording.lifeline import end_with_parent

_DEVICE = re.compile("(CUDA|HIP) error: ")
_LOCK = "gluon-inspect-gpu.lock"


def main() -> int:
    """0 when the journal is complete, also if the script raised."""
    end_with_parent()
    folder = Path(sys.argv[1])
    journal = JournalWriter(folder)
    warnings.filterwarnings("ignore", message="TRITON_DEFAULT_FP_FUSION is unset")
    try:
        torch = _torch(journal)
        if torch is not None:
            _guarded(lambda: _run(folder, torch, journal, profile="profile" in sys.argv[2:]), journal)
            journal.event("finished")
    finally:
        journal.close()
    return 0


def _torch(journal: JournalWriter) -> Any:
    """torch with a GPU; None, and a word why, where there is none."""
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        journal.event("unavailable", reason="torch is not installed")
        return None
    if not torch.cuda.is_available():
        journal.event("unavailable", reason="torch sees no GPU")
        return None
    journal.event("device", name=torch.cuda.get_device_name(), target=_target(torch), torch=torch.__version__)
    return torch


def _target(torch: Any) -> str:
    if getattr(torch.version, "hip", None):
        return f"hip:{torch.cuda.get_device_properties(0).gcnArchName.partition(':')[0]}"
    return f"cuda:{''.join(map(str, torch.cuda.get_device_capability()))}"


def _guarded(action: Callable[[], None], journal: JournalWriter) -> None:
    """Whatever the script, Triton or the device raises goes to the journal, with what stands there already."""
    try:
        action()
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            journal.event("error", message=script_error(leaving).message)
    except BaseException as error:  # noqa: BLE001 (a script may raise anything; it is reported, not swallowed)
        journal.event("error", message=said(error))


def said(error: BaseException) -> str:
    """The error in one line; what torch adds to a device's error is advice on debugging torch."""
    first = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first}" if _DEVICE.match(first) else script_error(error).message


def _run(folder: Path, torch: Any, journal: JournalWriter, *, profile: bool) -> None:
    first = _profiled(torch, journal) if profile else _timed(torch, journal)
    if (folder / CAPTURE).exists():
        capture = load_capture(folder / CAPTURE)
        make_again(capture, _target(torch), torch, journal, first, whole=profile)
        return
    keys = folder / KEYS
    wanted = frozenset[str](json.loads(keys.read_text(encoding="utf-8"))) if keys.exists() else None
    with Patches() as patches:
        Replay(lambda each: first(each) if wanted is None or each.key in wanted else None).install(patches)
        run_script(Job.read(folder / "job.json"))


def _timed(torch: Any, journal: JournalWriter) -> Callable[[Distinct], None]:
    timer = Timer(torch, clocks=clock_reader(torch))
    with alone():
        journal.event("peak", bytes_per_second=copy_bandwidth(torch))

    def first(distinct: Distinct) -> None:
        journal.event("timing", key=distinct.key, name=distinct.name)
        snapshot = Snapshot(distinct.tensors, torch.cuda, reserve_bytes=RESERVE_BYTES)
        with alone():
            found = timer.time(distinct.run, distinct.stream)
        snapshot.restore()
        time = found.time_ms
        journal.event(
            "timed",
            key=distinct.key,
            name=distinct.name,
            ms=[time.median, time.p20, time.p80, time.runs],
            method=found.method,
            doubt=found.doubt,
            clocks=found.clocks,
            restored=snapshot.complete,
        )

    return first


@contextmanager
def alone() -> Generator[None]:
    """One measurement at a time on this machine, whoever makes it: others would change its times."""
    lock = _lock(Path(tempfile.gettempdir()) / _LOCK)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _lock(path: Path) -> int:
    """A descriptor of the file, which may be another user's: it is read and never written."""
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o444)


def _profiled(torch: Any, journal: JournalWriter) -> Callable[[Distinct], None]:
    runtime = torch.cuda.cudart()

    def first(distinct: Distinct) -> None:
        journal.event("timing", key=distinct.key, name=distinct.name)
        snapshot = Snapshot(distinct.tensors, torch.cuda, reserve_bytes=RESERVE_BYTES)
        torch.cuda.synchronize()
        with alone():
            runtime.cudaProfilerStart()
            distinct.run(distinct.stream)
            torch.cuda.synchronize()
            runtime.cudaProfilerStop()
        snapshot.restore()
        journal.event("profiled", key=distinct.key, name=distinct.name)

    return first


if __name__ == "__main__":
    sys.exit(main())
