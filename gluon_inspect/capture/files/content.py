"""A file's bytes, unpacked where they are gzip, with limits so that no file can fill the memory."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from gluon_inspect.errors import CaptureError, Position

LIMIT_BYTES = 2 << 30
_GZIP = b"\x1f\x8b"


def read_content(path: Path) -> bytes:
    """The content of a file. Raises CaptureError for one that cannot be read or is too large."""
    try:
        if path.stat().st_size > LIMIT_BYTES:
            raise CaptureError(f"the file is larger than {LIMIT_BYTES >> 30} GiB", position=Position(str(path)))
        content = path.read_bytes()
    except OSError as error:
        raise CaptureError(f"cannot read the file: {error.strerror}", position=Position(str(path))) from None
    return _unpack(path) if content[:2] == _GZIP else content


def _unpack(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            unpacked = file.read(LIMIT_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CaptureError(f"a broken gzip file: {error}", position=Position(str(path))) from None
    if len(unpacked) > LIMIT_BYTES:
        raise CaptureError(f"unpacks to more than {LIMIT_BYTES >> 30} GiB", position=Position(str(path)))
    return unpacked
