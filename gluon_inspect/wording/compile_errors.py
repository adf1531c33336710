"""Where a compiler's message points, in the two forms that Triton gives."""

import re
from collections.abc import Sequence

from gluon_inspect.model.location import Location
from gluon_inspect.wording.characters import shortened

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


def in_six_words(error: str) -> str:
    """Why a kernel did not compile, for a table's cell: the first six words, or the sizes that do not fit."""
    if sizes := _TOO_MUCH.search(error):
        return f"{sizes['what']}: {sizes['needed']} of {sizes['limit']}"
    words = reason(error).split()
    return shortened(" ".join(words[:_WORDS]), _CHARACTERS) + ("…" if len(words) > _WORDS else "")


def excerpt(lines: Sequence[str]) -> Sequence[str]:
    """A compiler's message without most of the source above each caret; what is left out is counted."""
    carets = [number for number, line in enumerate(lines) if line.strip() == "^"]
    near = {number for caret in carets for number in range(caret - _ABOVE, caret + 1)}
    last = carets[-1] if carets else 0
    kept = [line for number, line in enumerate(lines) if number in near or number == 0 or number > last]
    left = len(lines) - len(kept)
    return kept if left <= 1 else [*kept, f"({left} lines of source left out: --details)"]


_ABOVE = 2
"""Lines of source that are kept above a caret's."""
_WORDS = 6
_CHARACTERS = 60
_TOO_MUCH = re.compile(
    r"out of resource: (?P<what>[\w ]+), Required: (?P<needed>\d+), Hardware limit: (?P<limit>\d+)", re.IGNORECASE
)
"""triton.runtime.errors.OutOfResources."""
_EXCEPTION = re.compile(r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Resources)(?:\([^)]*\))?: *")

_QUOTED = re.compile(r"""^[A-Z]\w*\((?P<quote>['"])(?P<told>.+)(?P=quote)\)$""")
"""An exception as its `repr`, which is how Triton gives what its front end raised."""


def reason(error: str) -> str:
    """The first diagnostic of a pass; else the last line, which is what Triton puts below its excerpt."""
    found = re.search(_MLIR + r"(?P<reason>.+)", error, re.MULTILINE)
    lines = [line.strip() for line in error.splitlines() if line.strip(" ^")]
    told = found["reason"] if found else lines[-1] if lines else "no reason given"
    if quoted := _QUOTED.match(told):
        return quoted["told"]
    return _EXCEPTION.sub("", told) or told
