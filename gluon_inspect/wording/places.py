"""Source places: short paths and the lines they point at."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gluon_inspect.model.location import Location


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source line: its text and the 1-based column to mark (0: none)."""

    text: str
    line: int
    column: int


def source_line(sources: Mapping[str, str], location: Location | None) -> SourceLine | None:
    """The author's line of a location, tabs as single spaces so that columns hold; None if not at hand."""
    location = None if location is None else location.author
    if location is None or location.file not in sources:
        return None
    lines = _lines(sources[location.file])
    if not 0 < location.line <= len(lines):
        return None
    text = lines[location.line - 1].rstrip()
    return SourceLine(text, location.line, location.column if location.column <= len(text) else 0)


@lru_cache(maxsize=64)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))


def told_apart(names: Sequence[str], places: Sequence[Location | None]) -> list[str]:
    """The names; those that several have with the line where the outermost caller made them."""
    count = Counter(names)
    return [
        name if count[name] == 1 or place is None else f"{name}, line {place.chain[-1].line}"
        for name, place in zip(names, places, strict=True)
    ]


def short_path(file: str) -> str:
    """Relative to the working directory where the file lies below it; otherwise as it is."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd())) if path.is_absolute() else file
    except ValueError:
        return file


def repository_path(file: str) -> str:
    """Relative to the repository's root, with slashes, for whoever shows findings beside the code.

    A path from elsewhere (a capture made on another machine) is found by its longest end that lies in the
    repository; one that is not in it stays as it is.
    """
    root = _root(str(Path.cwd()))
    if root is None:
        return short_path(file)
    path = Path(file) if os.path.isabs(file) else Path.cwd() / file
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    ends = (Path(*path.parts[first:]) for first in range(1, len(path.parts)))
    return next((end.as_posix() for end in ends if os.path.isfile(root / end)), file)


@lru_cache(maxsize=8)
def _root(folder: str) -> Path | None:
    return next((place for place in (Path(folder), *Path(folder).parents) if (place / ".git").exists()), None)


def place(location: Location | None) -> str:
    """`file:line:column` of the author's place, with a short path; "unknown" without a location."""
    if location is None:
        return "unknown"
    author = location.author
    column = f":{author.column}" if author.column else ""
    return f"{short_path(author.file)}:{author.line}{column}"
