"""Text with positions: offsets to 1-based lines and columns, and the line with a caret."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from gluon_inspect.errors import Position

_EXCERPT_CHARACTERS = 100
_MOST_DIGITS = 18


def whole(text: str) -> int:
    """A decimal count, line or column; 0 (unknown) for one of more digits than any has."""
    return int(text) if len(text) <= _MOST_DIGITS else 0


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of character offsets in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """A named text that turns offsets into positions."""

    name: str
    text: str
    _starts: list[int] = field(default_factory=list[int], repr=False, compare=False)

    def line_starts(self) -> list[int]:
        """Offsets at which each line begins; computed once."""
        if not self._starts:
            starts = [0]
            find, at = self.text.find, -1
            while (at := find("\n", at + 1)) >= 0:
                starts.append(at + 1)
            self._starts.extend(starts)
        return self._starts

    def position(self, offset: int) -> Position:
        """The 1-based line and column of a character offset (clamped to the text)."""
        offset = min(max(offset, 0), len(self.text))
        starts = self.line_starts()
        line = bisect_right(starts, offset)
        return Position(self.name, line, offset - starts[line - 1] + 1)

    def excerpt(self, offset: int) -> str:
        """The line at an offset with a caret below it; long lines are cut around the caret."""
        offset = min(max(offset, 0), len(self.text))
        starts = self.line_starts()
        start = starts[bisect_right(starts, offset) - 1]
        end = self.text.find("\n", start)
        line = self.text[start : end if end >= 0 else len(self.text)]
        column = offset - start
        cut = max(0, column - _EXCERPT_CHARACTERS // 2)
        shown = line[cut : cut + _EXCERPT_CHARACTERS].replace("\t", " ")
        return f"  {shown}\n  {' ' * (column - cut)}^"
