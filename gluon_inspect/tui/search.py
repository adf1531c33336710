"""Finding text in lines: lower case finds any case, as in most pagers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hits:
    """The lines (0-based, in order) that hold `text`."""

    text: str
    lines: tuple[int, ...] = ()

    def spans(self, line: str) -> Iterator[tuple[int, int]]:
        """Where in a line the text stands, half-open."""
        if not self.text:
            return
        wanted, line = (self.text, line) if _is_exact(self.text) else (self.text.lower(), line.lower())
        at = line.find(wanted)
        while at >= 0:
            yield at, at + len(wanted)
            at = line.find(wanted, at + len(wanted))

    def next_from(self, line: int, forward: bool) -> int | None:
        """The next line with a hit after (before) a line, around the ends; None where there is none."""
        if not self.lines:
            return None
        if forward:
            at = bisect_right(self.lines, line)
            return self.lines[at % len(self.lines)]
        return self.lines[bisect_left(self.lines, line) - 1]

    def summary(self, line: int) -> str:
        """ "2 of 14 lines", for the search bar."""
        if not self.text:
            return ""
        if not self.lines:
            return "not found"
        return f"{bisect_left(self.lines, line) % len(self.lines) + 1} of {len(self.lines)}"


def find(lines: Sequence[str], text: str) -> Hits:
    """The lines that hold a text; upper case in it makes the case matter. Empty text is nowhere."""
    if not text:
        return Hits(text)
    if _is_exact(text):
        return Hits(text, tuple(index for index, line in enumerate(lines) if text in line))
    return Hits(text, tuple(index for index, line in enumerate(lines) if text in line.lower()))


def _is_exact(text: str) -> bool:
    return text != text.lower()
