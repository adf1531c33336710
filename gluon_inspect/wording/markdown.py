"""Text from kernels and scripts, safe to stand in Markdown."""

from __future__ import annotations

import re

from gluon_inspect.wording.characters import visible

_MEANINGFUL = re.compile(r"[&<>`*_\[\]|@#\\~!$:]")
_CELL_CHARACTERS = 200


def escaped(text: str, limit: int = _CELL_CHARACTERS) -> str:
    """Text in which no character means anything to Markdown, HTML or GitHub."""
    return _MEANINGFUL.sub(lambda match: f"&#{ord(match[0])};", visible(text, limit))
