"""Where a compiler's message points, in the two forms that Triton gives."""

import re

from gluon_inspect.model.location import Location

_PYTHON = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+): CompilationError: at \d+:(?P<column>\d+)")
"""The recorder's line of the file, then Triton's line of the function and its 0-based column."""
_MLIR = r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): error: "


def raised_at(error: str) -> Location | None:
    """The place of a CompilationError, or None for another message."""
    found = _PYTHON.match(error)
    return None if found is None else Location(found["file"], int(found["line"]), int(found["column"]) + 1)


def diagnosed(error: str, words: str) -> tuple[re.Match[str], Location] | None:
    """The first diagnostic of a pass whose message matches the expression `words`, and its place."""
    found = re.search(_MLIR + words, error, re.MULTILINE)
    return None if found is None else (found, Location(found["file"], int(found["line"]), int(found["column"])))
