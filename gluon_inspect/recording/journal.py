"""What the recording child writes as it goes, so that a crash keeps what was recorded.

A folder with `events.jsonl` (one JSON object a line) and `blobs/` (plain text and binaries, named by
their content). No pickle: the parent reads data only.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

EVENTS = "events.jsonl"
BLOBS = "blobs"
PASSES = "passes"
"""The blob that the compilation under way dumps its passes to."""


_ENCODE = json.JSONEncoder().encode
_GETPID, _OPEN, _WRITE, _FSTAT = os.getpid, os.open, os.write, os.fstat
"""Taken before the script runs: what it puts in their places does not reach the journal."""


class JournalWriter:
    """Appends events and blobs; every event is on disk when `event` returns.

    A process that was forked off writes nothing: its events would be mixed into its parent's. A script may close
    the journal's descriptor and open a file of its own under the same number: each event looks first.
    """

    def __init__(self, folder: Path) -> None:
        self._owner = _GETPID()
        self.blobs = folder / BLOBS
        self.blobs.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._path = str(folder / EVENTS)
        self._descriptor, self._identity = self._opened()

    def _opened(self) -> tuple[int, tuple[int, int]]:
        descriptor = _OPEN(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        state = _FSTAT(descriptor)
        return descriptor, (state.st_dev, state.st_ino)

    def event(self, kind: str, **data: Any) -> None:
        """Writes one event."""
        if _GETPID() != self._owner:
            return
        if not self._is_ours():
            self._descriptor, self._identity = self._opened()
        content = (_ENCODE({"event": kind, **data}) + "\n").encode()
        while content:
            content = content[_WRITE(self._descriptor, content) :]

    def reopened(self) -> JournalWriter:
        """Of a process split off for a compilation: each event is one write at the end of the file."""
        return JournalWriter(self._folder)

    def _is_ours(self) -> bool:
        try:
            state = _FSTAT(self._descriptor)
        except OSError:
            return False
        return (state.st_dev, state.st_ino) == self._identity

    def put(self, content: bytes) -> str:
        """Stores a blob and returns its name; equal contents are stored once."""
        name = hashlib.sha256(content).hexdigest()[:24]
        path = self.blobs / name
        if not path.exists():
            path.write_bytes(content)
        return name

    def close(self) -> None:
        """Closes the event file."""
        if self._is_ours():
            os.close(self._descriptor)


class JournalReader:
    """Reads a journal while it grows or after its writer died; a torn last line is left for later."""

    def __init__(self, folder: Path) -> None:
        self._events = folder / EVENTS
        self._blobs = folder / BLOBS
        self._offset = 0
        self.foreign = 0
        """Lines that are no events: somebody else wrote to the journal."""

    def new_events(self) -> Iterator[Mapping[str, Any]]:
        """Events that were completed since the last call."""
        if not self._events.exists():
            return
        with self._events.open("rb") as file:
            file.seek(self._offset)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            event = _event(line)
            if event is None:
                self.foreign += 1
            else:
                yield event

    def get(self, name: str) -> bytes:
        """The content of a blob."""
        return (self._blobs / name).read_bytes()

    def size(self, name: str) -> int:
        """Bytes of a blob so far; 0 where it was never written."""
        path = self._blobs / name
        return path.stat().st_size if path.exists() else 0

    def peek(self, name: str) -> bytes:
        """The content of a blob that may never have been written: empty then."""
        path = self._blobs / name
        return path.read_bytes() if path.exists() else b""


def _event(line: bytes) -> Mapping[str, Any] | None:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) and "event" in found else None
