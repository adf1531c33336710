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
from typing import Any

EVENTS = "events.jsonl"
BLOBS = "blobs"
PASSES = "passes"
"""The blob that the compilation under way dumps its passes to."""


class JournalWriter:
    """Appends events and blobs; every event is on disk when `event` returns.

    A process that was forked off writes nothing: its events would be mixed into its parent's.
    """

    def __init__(self, folder: Path) -> None:
        self._owner = os.getpid()
        self.blobs = folder / BLOBS
        self.blobs.mkdir(parents=True, exist_ok=True)
        self._file = (folder / EVENTS).open("a", encoding="utf-8")

    def event(self, kind: str, **data: Any) -> None:
        """Writes one event."""
        if os.getpid() != self._owner:
            return
        self._file.write(json.dumps({"event": kind, **data}) + "\n")
        self._file.flush()

    def put(self, content: bytes) -> str:
        """Stores a blob and returns its name; equal contents are stored once."""
        name = hashlib.sha256(content).hexdigest()[:24]
        path = self.blobs / name
        if not path.exists():
            path.write_bytes(content)
        return name

    def close(self) -> None:
        """Closes the event file."""
        self._file.close()


class JournalReader:
    """Reads a journal while it grows or after its writer died; a torn last line is left for later."""

    def __init__(self, folder: Path) -> None:
        self._events = folder / EVENTS
        self._blobs = folder / BLOBS
        self._offset = 0

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
            yield json.loads(line)

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
