"""A child process with a journal and a time limit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import gluon_inspect
from gluon_inspect.recording.journal import JournalReader

_POLL_SECONDS = 0.1
_START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import gluon_inspect
del sys.path[0]
import runpy
runpy.run_module("gluon_inspect.measure.child", run_name="__main__", alter_sys=True)
"""
"""Finds this very package, then leaves the script's import path as Python would have made it."""

Event = Mapping[str, Any]


def child_command(folder: Path, *words: str) -> list[str]:
    """The command that runs the folder's job on the GPU."""
    package = str(Path(gluon_inspect.__file__).parent.parent)
    return [sys.executable, "-P", "-c", _START, package, str(folder), *words]


def run_child(
    command: Sequence[str], folder: Path, cache: Path, timeout_seconds: float, follow: Callable[[Event], None]
) -> tuple[list[Event], str]:
    """Every event of the child's journal, and how it went wrong (empty: it did not).

    What the child prints goes to standard error. Triton keeps what it compiles in `cache`: the user's own
    cache is left alone.
    """
    events: list[Event] = []
    reader = JournalReader(folder)

    def read() -> None:
        for event in reader.new_events():
            events.append(event)
            follow(event)

    environment = {**os.environ, "TRITON_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    child = subprocess.Popen(
        list(command), stdin=subprocess.DEVNULL, stdout=2, env=environment, start_new_session=True
    )
    deadline = time.monotonic() + timeout_seconds
    try:
        while child.poll() is None and time.monotonic() < deadline:
            read()
            time.sleep(_POLL_SECONDS)
        late = child.poll() is None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    read()
    return events, _trouble(events, child.returncode, timeout_seconds if late else None)


def _trouble(events: Sequence[Event], status: int, late: float | None) -> str:
    kinds = [event["event"] for event in events]
    if "finished" in kinds or "unavailable" in kinds:
        return ""
    during = running(events)
    if late is not None:
        return f"stopped after {late:g} s{during}"
    how = signal.Signals(-status).name if status < 0 else f"status {status}"
    return f"the measuring process died ({how}){during}"


def running(events: Sequence[Event]) -> str:
    """Which kernel had begun and was not done, as the end of a sentence; empty where none was."""
    started = [event["name"] for event in events if event["event"] == "timing"]
    done = sum(event["event"] in ("timed", "profiled") for event in events)
    return f" while {started[-1]} ran" if len(started) > done else ""
