"""Running text before it is wrapped."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.tui.highlight import Token


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph; `token` colours it, `fixed` keeps its line breaks (pictures, code)."""

    text: str
    token: Token | None = None
    fixed: bool = False
