"""A file's bytes or lines, unpacked where they are gzip, with limits so that no file can fill the memory."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from gluon_inspect.errors import CaptureError, Position

LIMIT_BYTES = 2 << 30
_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 1 << 20


def read_content(path: Path) -> bytes:
    """The content of a file. Raises CaptureError for one that cannot be read or is too large."""
    with _opened(path) as file:
        content = file.read(LIMIT_BYTES + 1)
    if len(content) > LIMIT_BYTES:
        raise _too_large(path)
    return content


def read_head(path: Path) -> bytes:
    """The first MiB of a file's content; errors as in `read_content`."""
    with _opened(path) as file:
        return file.read(_HEAD_BYTES)


@contextmanager
def read_lines(path: Path) -> Generator[Iterator[str]]:
    """A text's lines, read as they are asked for; errors as in `read_content`."""
    with _opened(path) as file, io.TextIOWrapper(file, "utf-8", "replace", newline="\n") as text:
        yield _limited(path, text)


def _limited(path: Path, text: io.TextIOWrapper) -> Iterator[str]:
    read = 0
    while line := text.readline(LIMIT_BYTES):
        read += len(line)
        if read > LIMIT_BYTES:
            raise _too_large(path)
        yield line


@contextmanager
def _opened(path: Path) -> Generator[IO[bytes]]:
    where = Position(str(path))
    try:
        if path.stat().st_size > LIMIT_BYTES:
            raise _too_large(path)
        with path.open("rb") as file:
            is_packed = file.peek(len(_GZIP))[: len(_GZIP)] == _GZIP
            yield cast(IO[bytes], gzip.GzipFile(fileobj=file)) if is_packed else file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CaptureError(f"a broken gzip file: {error}", position=where) from None
    except OSError as error:
        raise CaptureError(f"cannot read the file: {error.strerror}", position=where) from None


def _too_large(path: Path) -> CaptureError:
    return CaptureError(f"the file is larger than {LIMIT_BYTES >> 30} GiB, unpacked", position=Position(str(path)))
