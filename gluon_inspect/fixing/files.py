"""The author's files as they are now, beside what was recorded; written only where they are still the same."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from gluon_inspect.errors import UsageError
from gluon_inspect.wording.places import short_path

_GIT_SECONDS = 20


def current(recorded: Mapping[str, str]) -> tuple[dict[str, str], frozenset[str]]:
    """Python files with their own line ends, and which of them have changed since they were recorded.

    A file that is not on this machine is as it was recorded. What is no Python file in UTF-8 is left out.
    """
    texts: dict[str, str] = {}
    stale: set[str] = set()
    for file, text in recorded.items():
        if not file.endswith(".py"):
            continue
        now = read(file)
        if now is None or _lines(now) == _lines(text):
            texts[file] = text if now is None else now
        else:
            stale.add(file)
    return texts, frozenset(stale)


def read(file: str) -> str | None:
    """A file's text with its own line ends; None where it is not there or not in UTF-8."""
    with suppress(OSError, UnicodeDecodeError):
        return Path(file).read_bytes().decode("utf-8")
    return None


def _lines(text: str) -> list[str]:
    """What Python's own reading leaves of a text: the recorder's has one kind of line end, and one at the end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")


def write(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Each changed file, whole or not at all; UsageError, and nothing written, where one is not as before."""
    for file in after:
        if read(file) != before[file]:
            raise UsageError(f"{short_path(file)} has changed meanwhile", hint="nothing was written; run it again")
    for file, text in after.items():
        _replace(Path(file).resolve(), text)


def _replace(path: Path, text: str) -> None:
    """In one step, so that whoever reads the file finds the old or the new text."""
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with ExitStack() as undo:
            undo.callback(_unlink, name)
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode())
            os.chmod(name, path.stat().st_mode & 0o7777)
            os.replace(name, path)
            undo.pop_all()
    except OSError as error:
        raise UsageError(f"cannot write {short_path(str(path))}: {error.strerror}") from error


def _unlink(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)


def dirty(files: Iterable[str]) -> list[str]:
    """Files with changes that git has not committed; none where there is no git, or no repository."""
    return [file for file in files if _is_dirty(Path(file).resolve())]


def _is_dirty(path: Path) -> bool:
    words = ["git", "status", "--porcelain", "--", path.name]
    try:
        found = subprocess.run(words, cwd=path.parent, capture_output=True, timeout=_GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return found.returncode == 0 and bool(found.stdout.strip())
