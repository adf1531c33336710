"""What stands before each line: the worst finding, its number, what it costs, its share of the time. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gluon_inspect.listings.document import Document, Heat, Language
from gluon_inspect.listings.links import Lit
from gluon_inspect.listings.marks import SYMBOLS, Mark
from gluon_inspect.wording.times import waited_for

HEATS = ("heat-1", "heat-2", "heat-3", "heat-4")
"""Style names, coolest first."""
_BOUNDS = (0.03, 0.10, 0.25)
_LEAST = 0.005
_TOLD = 0.05
"""Share of the time from which on the wait is named beside the line."""
_HEAT_CELLS = 4
Part = tuple[str, str]
"""Text and the name of its style; an empty name is the line's own."""


class Gutter:
    """The columns before a document's lines."""

    def __init__(self, document: Document, marks: Mapping[int, Mark]) -> None:
        self._document, self._marks = document, marks
        self._digits = len(str(len(document.lines)))
        texts = max((len(mark.text) for mark in marks.values()), default=0)
        self._mark_cells = texts + 1 if texts else 0
        self._heat_cells = _HEAT_CELLS if document.heat else 0
        self.width = (
            1
            if document.language is Language.PLAIN
            else 2 + self._digits + 1 + self._mark_cells + self._heat_cells
        )

    def parts(self, line: int, lit: Lit, number: str) -> Iterator[Part]:
        """The gutter of a line; `number` is the style of its number."""
        if self._document.language is Language.PLAIN:
            yield " ", ""
            return
        mark = self._marks.get(line, Mark())
        strong, weak = line in lit.strong, line in lit.weak
        level = mark.level if mark.level in ("error", "warning", "note") else number
        yield SYMBOLS.get(mark.level, "▌" if strong else "▏" if weak else " "), level
        yield f"{line + 1:>{self._digits}} ", number
        if self._mark_cells:
            yield f"{mark.text:>{self._mark_cells - 1}} ", level
        if self._heat_cells:
            yield from _heat(self._document.heat.get(line))
        yield ("▎" if strong or weak else " "), "gutter"

    def blank(self) -> Iterator[Part]:
        """Before the further rows of a line that wraps."""
        yield " " * self.width, ""


def _heat(heat: Heat | None) -> Iterator[Part]:
    if heat is None or heat.share < _LEAST:
        yield " " * _HEAT_CELLS, ""
        return
    yield f"{min(heat.share, 1.0) * 100:3.0f}%"[-_HEAT_CELLS:], HEATS[sum(heat.share >= each for each in _BOUNDS)]


def wait_text(heat: Heat | None) -> str:
    """What a line is waited for, where it takes a share of the time that counts."""
    if heat is None or heat.stall is None or heat.share < _TOLD:
        return ""
    return f"  ◂ {waited_for(heat.stall)}"


def share_text(heat: Heat | None) -> str:
    """ "31% of the time: global memory", for the line under the cursor."""
    if heat is None or heat.share < _LEAST:
        return ""
    what = f": {waited_for(heat.stall)}" if heat.stall is not None else ""
    return f"{heat.share:.0%} of the time{what}"
