"""Compiled kernels in files of their own: texts and binaries stay on the disk, packed, and are read when asked.

So a report on a thousand kernels holds names and numbers. A file is there as long as a kernel that reads it; to
another process a kernel goes as the bytes of its file. The tool's cache keeps the same bytes by what was compiled.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from gluon_inspect.errors import CaptureError
from gluon_inspect.loading import cache as tool_cache
from gluon_inspect.loading.encoding import decode_kernel
from gluon_inspect.loading.save import save_capture
from gluon_inspect.model.artifact import PASSES, Capture, CompiledKernel

_INDEX = "index.json"
_BROKEN = (OSError, zipfile.BadZipFile, zlib.error, ValueError, LookupError, TypeError, EOFError)
Content = TypeVar("Content", str, bytes)


def packed(kernel: CompiledKernel) -> bytes:
    """A kernel without its launches as the bytes of a capture file; fast rather than small."""
    content = io.BytesIO()
    save_capture(Capture("", (replace(kernel, launches=()),)), content, effort=1)
    return content.getvalue()


def stored(content: bytes) -> CompiledKernel:
    """The kernel that was packed, what is large of it left in a file. CaptureError where it is damaged."""
    try:
        file = KernelFile(content)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            (data,) = json.loads(archive.read(_INDEX))["kernels"]
        light = decode_kernel({**data, "stages": {}, "binary": "", "dump": ""}, file.read)
        kind = "hsaco" if light.target.startswith("hip") else "cubin"
        return replace(
            light,
            stages=Parts(file, data["stages"], _text),
            binaries=Parts(file, {kind: data["binary"]}, bytes) if data["binary"] else {},
            dumps=Parts(file, {PASSES: data["dump"]}, _text) if data["dump"] else {},
        )
    except _BROKEN as error:
        raise CaptureError(f"a kernel's file is damaged: {error}") from None


def find(key: str) -> bytes | None:
    """The packed kernel that the cache has of a compilation; None: none."""
    return tool_cache.read(_place(key))


def keep(key: str, content: bytes) -> None:
    """Leaves a packed kernel to later runs."""
    tool_cache.keep(_place(key), content)


def _place(key: str) -> Path:
    return tool_cache.cache_folder() / "kernels" / f"{key}.gi"


class KernelFile:
    """A packed kernel on the disk, removed with the last that reads it."""

    def __init__(self, content: bytes) -> None:
        descriptor, name = tempfile.mkstemp(dir=_spool(os.getpid()))
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        self._path = Path(name)
        weakref.finalize(self, partial(self._path.unlink, missing_ok=True))

    def content(self) -> bytes:
        """The bytes that it was made from."""
        return self._path.read_bytes()

    def read(self, member: str) -> bytes:
        """One part's content. CaptureError where it is not what was written."""
        try:
            with zipfile.ZipFile(self._path) as archive:
                return archive.read(f"blobs/{member}")
        except _BROKEN as error:
            raise CaptureError(f"a kernel's file is damaged: {error}") from None

    def __reduce__(self) -> tuple[type[KernelFile], tuple[bytes]]:
        """It travels as its bytes and becomes a file again."""
        return KernelFile, (self.content(),)


class Parts(Mapping[str, Content]):
    """Parts of a file by their names, read each time that they are asked for."""

    def __init__(self, file: KernelFile, members: Mapping[str, str], as_: Callable[[bytes], Content]) -> None:
        self.file, self._members, self._as = file, dict(members), as_

    def __getitem__(self, name: str) -> Content:
        return self._as(self.file.read(self._members[name]))

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


@cache
def _spool(pid: int) -> Path:
    """This process's own folder of files; gone when it ends."""
    folder: Any = tempfile.TemporaryDirectory(prefix=f"gluon-inspect-{pid}-", ignore_cleanup_errors=True)
    _folders.append(folder)
    return Path(folder.name)


_folders: list[Any] = []
