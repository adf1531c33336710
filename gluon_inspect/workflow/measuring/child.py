"""`python -m gluon_inspect.workflow.measuring.child FOLDER [profile]`: runs the folder's job on the GPU here.

Every distinct launch is timed before the script makes it, and what it wrote meanwhile is put back; with
`profile`, the profiler around this process is switched on for that first launch alone.
"""

from __future__ import annotations

import fcntl
import importlib
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gluon_inspect.capture.child.failures import script_error
from gluon_inspect.capture.child.patches import Patches
from gluon_inspect.capture.child.replay import Distinct, Replay
from gluon_inspect.capture.child.script import run_script
from gluon_inspect.capture.job import Job
from gluon_inspect.capture.journal import JournalWriter
from gluon_inspect.measure.snapshot import Snapshot
from gluon_inspect.measure.timing import Timer, copy_bandwidth

_RESERVE_BYTES = 1 << 30
_LOCK = "gluon-inspect-gpu.lock"


def main() -> int:
    """0 when the journal is complete, also if the script raised."""
    folder = Path(sys.argv[1])
    profile = "profile" in sys.argv[2:]
    journal = JournalWriter(folder)
    try:
        torch = _torch(journal)
        if torch is not None:
            _run(
                Job.read(folder / "job.json"),
                journal,
                _profiled(torch, journal) if profile else _timed(torch, journal),
            )
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
    capability = "".join(map(str, torch.cuda.get_device_capability()))
    hip = getattr(torch.version, "hip", None)
    architecture = torch.cuda.get_device_properties(0).gcnArchName.partition(":")[0] if hip else capability
    target = f"hip:{architecture}" if hip else f"cuda:{capability}"
    journal.event("device", name=torch.cuda.get_device_name(), target=target, torch=torch.__version__)
    return torch


def _run(job: Job, journal: JournalWriter, first: Callable[[Distinct], None]) -> None:
    def wanted(distinct: Distinct) -> None:
        if not job.kernel or distinct.name == job.kernel:
            first(distinct)

    try:
        with Patches() as patches:
            Replay(wanted).install(patches)
            run_script(job)
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            journal.event("error", message=script_error(leaving).message)
    except BaseException as error:  # noqa: BLE001 (a script may raise anything; it is reported, not swallowed)
        journal.event("error", message=script_error(error).message)


def _timed(torch: Any, journal: JournalWriter) -> Callable[[Distinct], None]:
    timer = Timer(torch)
    with alone():
        journal.event("peak", bytes_per_second=copy_bandwidth(torch))

    def first(distinct: Distinct) -> None:
        journal.event("timing", key=distinct.key, name=distinct.name)
        snapshot = Snapshot(distinct.tensors, torch.cuda, reserve_bytes=_RESERVE_BYTES)
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
            restored=snapshot.complete,
        )

    return first


@contextmanager
def alone() -> Generator[None]:
    """One measurement at a time on this machine: others would change its times."""
    with (Path(tempfile.gettempdir()) / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _profiled(torch: Any, journal: JournalWriter) -> Callable[[Distinct], None]:
    runtime = torch.cuda.cudart()

    def first(distinct: Distinct) -> None:
        snapshot = Snapshot(distinct.tensors, torch.cuda, reserve_bytes=_RESERVE_BYTES)
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
