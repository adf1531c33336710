"""The tool's own cache: entries with a checksum, bounded in size, the longest unused given up first."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MOST_BYTES = 2 << 30
_SUM_BYTES = 32
_SORTS = ("analyses", "faults", "kernels", "reports", "sass")
"""Its folders: nothing beside them is touched, whatever the cache was set to."""


@dataclass(frozen=True, slots=True)
class Part:
    """One sort of entries: its folder's name, how many there are and how large they are."""

    name: str
    entries: int
    bytes: int


def cache_folder() -> Path:
    """GLUON_INSPECT_CACHE, or gluon-inspect below XDG_CACHE_HOME or ~/.cache; without a home a temporary one."""
    given = os.environ.get("GLUON_INSPECT_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "gluon-inspect"
    try:
        return Path.home() / ".cache" / "gluon-inspect"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / f"gluon-inspect-cache-{os.getuid() if hasattr(os, 'getuid') else 0}"


def read(file: Path) -> bytes | None:
    """An entry's content; None where there is none, or where it is not what was written."""
    with suppress(OSError):
        whole = file.read_bytes()
        content = whole[_SUM_BYTES:]
        if hashlib.sha256(content).digest() == whole[:_SUM_BYTES]:
            os.utime(file)
            return content
    return None


def keep(file: Path, content: bytes) -> None:
    """Writes an entry whole or not at all; a cache that cannot be written is no error."""
    part = ""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as unfinished:
            part = unfinished.name
            unfinished.write(hashlib.sha256(content).digest() + content)
        Path(part).replace(file)
        _trim_once(cache_folder())
    except OSError:
        with suppress(OSError):
            if part:
                Path(part).unlink(missing_ok=True)


def parts(folder: Path) -> tuple[Part, ...]:
    """What the cache holds, by sort."""
    found: dict[str, list[int]] = {}
    for path, state in _files(folder):
        found.setdefault(path.relative_to(folder).parts[0], []).append(state.st_size)
    return tuple(Part(name, len(sizes), sum(sizes)) for name, sizes in sorted(found.items()))


def clear(folder: Path) -> None:
    """Removes what the cache holds."""
    for part in parts(folder):
        shutil.rmtree(folder / part.name, ignore_errors=True)


def trim(folder: Path, most_bytes: int = MOST_BYTES) -> None:
    """Removes unfinished entries of runs that are gone, and the longest unused ones beyond a size."""
    entries = sorted(_files(folder), key=lambda entry: entry[1].st_mtime, reverse=True)
    left = most_bytes
    for path, state in entries:
        left -= state.st_size
        if left < 0 or path.suffix == ".part":
            path.unlink(missing_ok=True)


@cache
def _trim_once(folder: Path) -> None:
    trim(folder)


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in (path for sort in _SORTS for path in folder.glob(f"{sort}/*")):
        with suppress(OSError):
            if path.is_file():
                yield path, path.stat()
