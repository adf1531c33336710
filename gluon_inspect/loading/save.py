"""Capture files: a zip of one JSON index and plain members. Nothing in it is ever executed or unpickled."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, cast

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.loading.content import RATIO, RATIO_FROM_BYTES, parse_json, read_content
from gluon_inspect.loading.encoding import decode_error, decode_kernel, encode_error, encode_kernel
from gluon_inspect.model.artifact import Capture
from gluon_inspect.wording.numbers import plural

FORMAT = "gluon-inspect capture"
VERSION = 1
LIMIT_BYTES = 4 << 30
"""All members unpacked: far above any real capture, far below what would hurt."""

_INDEX = "index.json"
_INDEX_BYTES = 64 << 20
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What `save_capture` writes. bzip2 and LZMA unpack to millions of times their size, past every declared one."""
_MEMBER = re.compile(r"index\.json|blobs/[0-9a-f]{24}")
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
)
"""RuntimeError: nesting too deep, an unknown packing, a password."""


def save_capture(capture: Capture, place: Path | IO[bytes], effort: int = 6) -> None:
    """Writes a capture file; the same capture always gives the same bytes. `effort`: 1 (fast) to 9, of packing."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=effort) as archive:
        writer = _Writer(archive)
        index = {
            "format": FORMAT,
            "version": VERSION,
            "origin": capture.origin,
            "notes": list(capture.notes),
            "error": None if capture.error is None else encode_error(capture.error),
            "sources": {name: writer.put(text.encode()) for name, text in capture.sources.items()},
            "kernels": [encode_kernel(kernel, writer.put) for kernel in capture.kernels],
        }
        writer.write(_INDEX, json.dumps(index, indent=1).encode())


def contents(capture: Capture) -> str:
    """What a capture's file holds, in words."""
    launches = sum(len(kernel.launches) for kernel in capture.kernels)
    stages = dict.fromkeys(stage for kernel in capture.kernels for stage in kernel.stages)
    further = {
        "binaries": any(kernel.binaries for kernel in capture.kernels),
        "pass dumps": any(kernel.dump for kernel in capture.kernels),
        "source text": bool(capture.sources),
    }
    parts = [*stages, *(name for name, is_there in further.items() if is_there)]
    missing = [f"no {name}" for name, is_there in further.items() if not is_there]
    counts = f"{plural(len(capture.kernels), 'kernel')}, {plural(launches, 'launch')}"
    return f"{counts}: {', '.join((*parts, *missing))}"


class _Writer:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._written: set[str] = set()

    def put(self, content: bytes) -> str:
        name = hashlib.sha256(content).hexdigest()[:24]
        if name not in self._written:
            self._written.add(name)
            self.write(f"blobs/{name}", content)
        return name

    def write(self, member: str, content: bytes) -> None:
        """A fixed date keeps the file reproducible."""
        self._archive.writestr(zipfile.ZipInfo(member), content, zipfile.ZIP_DEFLATED, self._archive.compresslevel)


def load_capture(path: Path, content: bytes | None = None) -> Capture:
    """Reads a capture file.

    Raises ParseError, with one line that says what is wrong, for anything that `save_capture` did not write:
    foreign members, too much data, a truncated file, another version.
    """
    where = Position(str(path))
    try:
        with zipfile.ZipFile(io.BytesIO(read_content(path) if content is None else content)) as archive:
            _check(archive, where)
            index = parse_json(archive.read(_INDEX))
            _check_version(index, where)
            return _decode(index, archive, where)
    except _BROKEN as error:
        raise ParseError(f"not a whole capture file: {error}", position=where, hint="capture again") from None


def _check(archive: zipfile.ZipFile, where: Position) -> None:
    names = [member.filename for member in archive.infolist()]
    foreign = next((name for name in names if not _MEMBER.fullmatch(name)), None)
    if foreign is not None:
        raise ParseError(f"not a capture file: it holds {foreign!r}", position=where)
    if len(set(names)) != len(names) or _INDEX not in names:
        raise ParseError("not a capture file: no index, or a member twice", position=where)
    if any(member.compress_type not in _PACKINGS for member in archive.infolist()):
        raise ParseError("not a capture file: a member is packed in another way", position=where)
    whole = sum(member.file_size for member in archive.infolist())
    packed = sum(member.compress_size for member in archive.infolist())
    if whole > LIMIT_BYTES or archive.getinfo(_INDEX).file_size > _INDEX_BYTES:
        raise _too_large(where)
    if whole > max(RATIO_FROM_BYTES, RATIO * packed):
        raise ParseError(f"unpacks to {whole // packed:,} times its size", position=where, hint="capture again")


def _too_large(where: Position) -> ParseError:
    return ParseError(f"unpacks to more than {LIMIT_BYTES >> 30} GiB", position=where, hint="capture again")


def _check_version(index: Any, where: Position) -> None:
    if not isinstance(index, dict) or cast(dict[str, Any], index).get("format") != FORMAT:
        raise ParseError("not a capture file: its index says something else", position=where)
    version = cast(dict[str, Any], index).get("version")
    if version != VERSION:
        raise ParseError(
            f"a capture of version {version}, this reads {VERSION}", position=where, hint="update gluon-inspect"
        )


def _decode(index: Mapping[str, Any], archive: zipfile.ZipFile, where: Position) -> Capture:
    left = LIMIT_BYTES

    def get(name: str) -> bytes:
        """A member's content; one that is named many times counts each time, as it does in memory."""
        nonlocal left
        left -= archive.getinfo(f"blobs/{name}").file_size
        if left < 0:
            raise _too_large(where)
        return archive.read(f"blobs/{name}")

    return Capture(
        origin=str(index["origin"]),
        kernels=tuple(decode_kernel(kernel, get) for kernel in index["kernels"]),
        sources={str(name): get(blob).decode(errors="replace") for name, blob in index["sources"].items()},
        notes=tuple(str(note) for note in index["notes"]),
        error=None if index["error"] is None else decode_error(index["error"]),
    )
