"""Text from kernels and scripts, safe to stand in Markdown."""

from __future__ import annotations

import re

from gluon_inspect.wording.characters import visible

_MEANINGFUL = re.compile(r"[&<>`*_\[\]|@#\\~!$:]")
_CELL_CHARACTERS = 200
_MEANINGFUL_IN_PROSE = re.compile(r"[&<>*\\~|@#`]|(?<!\w)_|_(?!\w)|\](?=[(\[:])|:(?=//)")
_SPANS = re.compile(r"(`[^`\n]*`)")


def escaped(text: str, limit: int = _CELL_CHARACTERS) -> str:
    """Text in which no character means anything to Markdown, HTML or GitHub."""
    return _MEANINGFUL.sub(_entity, visible(text, limit))


def prose(text: str) -> str:
    """Sentences with code spans of ours: outside the spans only what Markdown would take for markup is replaced.

    Longer and easier to read in its source than `escaped`; snake_case and layouts stay as they are.
    """
    parts = _SPANS.split(visible(text))
    return "".join(part if at % 2 else _MEANINGFUL_IN_PROSE.sub(_entity, part) for at, part in enumerate(parts))


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
