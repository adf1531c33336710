"""A file's bytes or lines, unpacked where they are gzip, with budgets so that no file can fill the memory."""

from __future__ import annotations

import gzip
import io
import json
import stat
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from gluon_inspect.errors import CaptureError, Position

LIMIT_BYTES = 2 << 30
RATIO, RATIO_FROM_BYTES = 200, 64 << 20
"""Dumps pack to a tenth or less; what packs far better than that, and is large, was made to fill a memory."""
_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 1 << 20
_PIECE_BYTES = 16 << 20
_MOST_DIGITS = 300
"""Of a number in JSON: a constant of a kernel may be large, but no float holds more."""


def read_content(path: Path, most_bytes: int = LIMIT_BYTES) -> bytes:
    """The content of a file. Raises CaptureError for one that is no file, cannot be read or is too large."""
    with _opened(path, most_bytes) as (file, budget):
        pieces: list[bytes] = []
        while piece := file.read(_PIECE_BYTES):
            pieces.append(piece)
            budget.spend(len(piece))
    return b"".join(pieces)


def read_text(path: Path, most_bytes: int = LIMIT_BYTES) -> str:
    """The content as UTF-8, what is not replaced; errors as in `read_content`."""
    return read_content(path, most_bytes).decode("utf-8", errors="replace")


def parse_json(text: str | bytes) -> Any:
    """What JSON says. ValueError for what is none, and for whole numbers that no float holds."""
    try:
        return json.loads(text, parse_int=_bounded)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def machine_integer(value: object) -> int:
    """A whole number of 64 bits, signed or not. ValueError for anything else, a text or a fraction too."""
    if not isinstance(value, int) or not -(1 << 63) <= value < 1 << 64:
        raise ValueError(f"no whole number of 64 bits: {str(value)[:24]}")
    return value


def _bounded(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(text.lstrip('-'))} digits")
    return int(text)


def read_head(path: Path) -> bytes:
    """The first MiB of a file's content; errors as in `read_content`."""
    with _opened(path, LIMIT_BYTES) as (file, _):
        return file.read(_HEAD_BYTES)


@contextmanager
def read_lines(path: Path) -> Generator[Iterator[str]]:
    """A text's lines, read as they are asked for; errors as in `read_content`."""
    opened = _opened(path, LIMIT_BYTES)
    with opened as (file, budget), io.TextIOWrapper(file, "utf-8", "replace", newline="\n") as text:
        yield _limited(text, budget)


class _Budget:
    """How much more of a file may be taken in, counted after unpacking."""

    def __init__(self, path: Path, most_bytes: int, packed_bytes: int | None) -> None:
        self._path, self._most, self._read = path, most_bytes, 0
        self._packed = packed_bytes

    def spend(self, taken: int) -> None:
        """Raises CaptureError when there is too much of it, or when it grows too fast out of its packing."""
        self._read += taken
        if self._read > self._most:
            raise _too_large(self._path, self._most)
        if self._packed is not None and self._read > max(RATIO_FROM_BYTES, RATIO * self._packed):
            told = f"the file unpacks to more than {RATIO} times its size: it was made to fill a memory"
            raise CaptureError(told, position=Position(str(self._path)), hint="unpack it yourself, if it is sound")


def _limited(text: io.TextIOWrapper, budget: _Budget) -> Iterator[str]:
    while line := text.readline(_PIECE_BYTES):
        budget.spend(len(line))
        yield line


@contextmanager
def _opened(path: Path, most_bytes: int) -> Generator[tuple[IO[bytes], _Budget]]:
    where = Position(str(path))
    if "\0" in str(path):
        raise CaptureError("cannot read the file: a null character in its name", position=where)
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            raise CaptureError(f"this is {_sort(state.st_mode)}, not a file", position=where)
        if state.st_size > most_bytes:
            raise _too_large(path, most_bytes)
        with path.open("rb") as file:
            is_packed = file.peek(len(_GZIP))[: len(_GZIP)] == _GZIP
            budget = _Budget(path, most_bytes, state.st_size if is_packed else None)
            yield (cast(IO[bytes], gzip.GzipFile(fileobj=file)) if is_packed else file), budget
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CaptureError(f"a broken gzip file: {error}", position=where) from None
    except OSError as error:
        raise CaptureError(f"cannot read the file: {error.strerror}", position=where) from None


def _sort(mode: int) -> str:
    sorts = {stat.S_ISFIFO: "a named pipe", stat.S_ISCHR: "a device", stat.S_ISBLK: "a device"}
    sorts |= {stat.S_ISSOCK: "a socket", stat.S_ISDIR: "a folder"}
    return next((name for is_so, name in sorts.items() if is_so(mode)), "something else")


def _too_large(path: Path, most_bytes: int) -> CaptureError:
    most = f"{most_bytes >> 30} GiB" if most_bytes >= 1 << 30 else f"{most_bytes >> 20} MiB"
    return CaptureError(f"the file is larger than {most}, unpacked", position=Position(str(path)))
