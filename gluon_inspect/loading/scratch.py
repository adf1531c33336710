"""Temporary folders that do not outlast their use: what a killed run left is removed by the next.

A folder's name tells the process that made it. Processes that still work in the folder of one that is gone (a
script's own children, which may have left its session) are ended: their environment names the folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_PREFIX = "gluon-inspect-"


@contextmanager
def scratch_folder(*, of_a_script: bool = False) -> Generator[Path]:
    """An empty folder of this process's own, gone afterwards; with it goes what a script left running in it."""
    _sweep_once()
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", ignore_cleanup_errors=True) as name:
        try:
            yield Path(name)
        finally:
            if of_a_script:
                end_processes_in(Path(name))


@cache
def _sweep_once() -> None:
    sweep(Path(tempfile.gettempdir()))


def sweep(place: Path) -> None:
    """Removes the folders below `place` whose makers are gone, and ends what they left running."""
    if os.name != "posix":
        return  # there signal 0 is no question but an interrupt
    with suppress(OSError):
        for folder in place.glob(f"{_PREFIX}*-*"):
            owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
            if owner.isdecimal() and not _is_alive(int(owner)) and _is_ours(folder):
                end_processes_in(folder)
                shutil.rmtree(folder, ignore_errors=True)


def end_processes_in(folder: Path) -> None:
    """Kills every process of this user whose environment names the folder. Only on Linux."""
    for pid in _processes_naming(os.fsencode(folder) + b"/"):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _processes_naming(text: bytes) -> Iterator[int]:
    if sys.platform != "linux":
        return
    for place in Path("/proc").iterdir():
        if place.name.isdecimal() and int(place.name) != os.getpid():
            with suppress(OSError):
                if text in (place / "environ").read_bytes():
                    yield int(place.name)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_ours(folder: Path) -> bool:
    return not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
