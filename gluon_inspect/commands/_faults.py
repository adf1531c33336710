"""Faults of the tool as they are told: a line on stderr, the traceback in a file that a bug report can carry."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from gluon_inspect.bulkheads import Fault
from gluon_inspect.commands._output import say

EXIT_CODE = 70
"""A fault of the tool, not of its input (sysexits.h, EX_SOFTWARE)."""
_MOST_KEPT = 50
"""Files of faults that are kept; the oldest go first."""


def tell_faults(faults: Sequence[Fault], *, debug: bool = False) -> None:
    """Each fault in a line, and where their tracebacks are; with `debug` here as well."""
    if not faults:
        return
    for fault in faults:
        say(f"fault: {fault}", *(fault.traceback.rstrip().split("\n") if debug else ()))
    kept = _kept(faults)
    if kept is not None:
        say(f"the whole of it is in {kept}: please add that file to a bug report")
    elif not debug:
        say("its traceback could not be written to a file; --debug shows it")


def _kept(faults: Sequence[Fault]) -> Path | None:
    """The file that holds them; one file for the same faults however often they come. None: nowhere to write."""
    text = "\n".join(_lines(faults))
    name = f"fault-{hashlib.sha256(''.join(fault.traceback for fault in faults).encode()).hexdigest()[:12]}.txt"
    for folder in _folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
            _sweep(folder)
        except OSError:
            continue
        return folder / name
    return None


def _folders() -> Iterator[Path]:
    from gluon_inspect.loading.cache import cache_folder

    yield cache_folder() / "faults"
    yield Path(tempfile.gettempdir())


def _sweep(folder: Path) -> None:
    kept = sorted(folder.glob("fault-*.txt"), key=lambda path: path.stat().st_mtime)
    for path in kept[:-_MOST_KEPT]:
        path.unlink(missing_ok=True)


def _lines(faults: Sequence[Fault]) -> Iterator[str]:
    from gluon_inspect.version import tool_version

    yield f"gluon-inspect {tool_version()}, Python {platform.python_version()}, {platform.platform()}"
    yield f"command: {' '.join(sys.argv)}"
    yield f"folder: {os.getcwd()}\n"
    for fault in faults:
        yield f"{fault}\n\n{fault.traceback}"
