"""The files that a script reads, its modules included: what a stored report of it depends on."""

from __future__ import annotations

import os
import sys
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

_SYSTEM = ("/proc/", "/sys/", "/dev/")
_MOST = 5000


class OpenedFiles:
    """Listens from `install` on: an audit hook hears every open, whichever library makes it.

    Files below the interpreter's prefixes (the standard library, installed packages), below `scratch` and of
    this package are left out: versions stand for the first, the others are our own.
    """

    def __init__(self, scratch: Path) -> None:
        prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(sys.prefix).resolve()), str(scratch)}
        prefixes.add(str(Path(__file__).parents[2]))
        self._left_out = (*(f"{prefix}{os.sep}" for prefix in prefixes), *_SYSTEM)
        self._paths: dict[str, None] = {}

    def install(self) -> None:
        """Audit hooks cannot be taken away again; this one lives in the recording child only."""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or len(self._paths) > _MOST:
            return
        path, mode = arguments[0], arguments[1]
        if isinstance(path, str) and not (isinstance(mode, str) and set(mode) & set("wax+")):
            whole = os.path.abspath(path)
            if not whole.startswith(self._left_out):
                self._paths[whole] = None

    def files(self) -> tuple[str, ...] | None:
        """Sorted; a module's source for its bytecode; None where they were too many to list."""
        if len(self._paths) > _MOST:
            return None
        return tuple(sorted({_source(path) for path in self._paths if os.path.isfile(path)}))


def _source(path: str) -> str:
    if not path.endswith(".pyc"):
        return path
    try:
        source = source_from_cache(path)
    except ValueError:
        return path
    return source if os.path.isfile(source) else path
