"""Notebooks as scripts: the code cells in order, what only a notebook understands left out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gluon_inspect.errors import CaptureError, Position
from gluon_inspect.loading.content import read_text

_MOST_BYTES = 256 << 20
_MAGIC = ("%", "!", "?")
_ASSIGNED = re.compile(r"^(\s*[\w, ]+=\s*)[!%].*")
_NAMES = "display, get_ipython = print, lambda: None\n"
"""What a notebook has without importing it, as plain Python has it."""


def notebook_source(path: Path) -> str:
    """The Python of a notebook (nbformat 4). Raises CaptureError for a file that is none."""
    try:
        found: Any = json.loads(read_text(path, _MOST_BYTES))
        cells: Sequence[Any] = found["cells"]
        sources = [_joined(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CaptureError(f"not a notebook: {error}", position=Position(str(path))) from None
    cells = "".join(f"# cell {number}\n{_plain(text)}\n" for number, text in enumerate(sources, 1))
    return _NAMES + cells


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def _plain(text: str) -> str:
    """Magics and shell lines as comments; a cell that is all magic (%%…) as a comment throughout."""
    lines = text.splitlines()
    whole = bool(lines) and lines[0].startswith("%%") and not lines[0].startswith(("%%time", "%%capture"))
    return "\n".join("# " + line if whole or _is_magic(line) else _ASSIGNED.sub(r"\1None", line) for line in lines)


def _is_magic(line: str) -> bool:
    """A line for the notebook: a magic, a shell command, or a question about a name ("x.shape?")."""
    plain = line.strip()
    return plain.startswith(_MAGIC) or (plain.endswith("?") and "#" not in plain and '"' not in plain)


def is_notebook(path: str) -> bool:
    """Whether a path is named as notebooks are."""
    return path.endswith(".ipynb")
