"""Rows of the screen for lines of a text: one each, or as many as a line fills where it wraps. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


class Rows:
    """Where each line stands. `width`: cells to wrap to; 0: lines are as long as they are."""

    def __init__(self, lines: Sequence[str], width: int = 0) -> None:
        self.width = width
        self._lines = len(lines)
        heights = (max(-(-len(line) // width), 1) for line in lines) if width else ()
        self._starts = list(accumulate(heights, initial=0))

    @property
    def count(self) -> int:
        """Rows of all lines."""
        return self._starts[-1] if self.width else self._lines

    def row_of(self, line: int) -> int:
        """The first row of a line."""
        return self._starts[min(line, self._lines)] if self.width else line

    def last_row_of(self, line: int) -> int:
        """The last row of a line."""
        return self._starts[min(line + 1, self._lines)] - 1 if self.width else line

    def at(self, row: int) -> tuple[int, int]:
        """The line of a row, and which of the line's rows it is; a line beyond the last where there is none."""
        if not self.width:
            return row, 0
        if row >= self.count:
            return self._lines, 0
        line = bisect_right(self._starts, row) - 1
        return line, row - self._starts[line]
