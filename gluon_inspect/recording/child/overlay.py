"""Files that a script finds changed, though they are not: their new texts stand in for what is on disk."""

from __future__ import annotations

import io
import linecache
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from typing import Any

from gluon_inspect.recording.child.patches import Patches


def install(patches: Patches, texts: Mapping[str, str]) -> None:
    """Python's import, `runpy` and `linecache` (which Triton takes a kernel's source from) read the new texts.

    Whatever else opens such a file reads it as it is. Bytecode that is kept of it is neither used nor written.
    """
    if not texts:
        return
    data = {file: text.encode() for file, text in texts.items()}
    patches.set(SourceFileLoader, "get_data", _get_data(data))
    patches.set(SourceFileLoader, "path_stats", _path_stats(data))
    patches.set(io, "open_code", _open_code(data))
    for file, text in texts.items():
        # without a time of the last write an entry is never held against the file
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file


def _get_data(data: Mapping[str, bytes]) -> Any:
    read = SourceFileLoader.get_data

    def get_data(self: SourceFileLoader, path: str) -> bytes:
        return data[path] if path in data else read(self, path)

    return get_data


def _path_stats(data: Mapping[str, bytes]) -> Any:
    stats = SourceFileLoader.path_stats

    def path_stats(self: SourceFileLoader, path: str) -> Mapping[str, Any]:
        if path in data:
            raise OSError(f"{path} is read as it is to become")
        return stats(self, path)

    return path_stats


def _open_code(data: Mapping[str, bytes]) -> Any:
    read = io.open_code

    def open_code(path: str) -> Any:
        return io.BytesIO(data[path]) if path in data else read(path)

    return open_code
