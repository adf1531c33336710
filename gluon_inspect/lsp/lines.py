"""Lines of a file as it was recorded, in the text as it is now: what was edited since has no verdict."""

from __future__ import annotations

from difflib import SequenceMatcher

from lsprotocol.types import Position, PositionEncodingKind, Range

Encoding = PositionEncodingKind | str
_UNIT_BYTES = {PositionEncodingKind.Utf8: 1, PositionEncodingKind.Utf32: 4}
_CODECS = {PositionEncodingKind.Utf8: "utf-8", PositionEncodingKind.Utf32: "utf-32-le"}


class Lines:
    """Recorded lines count from 1, those of the text now from 0, as in the protocol."""

    def __init__(self, recorded: str, now: str) -> None:
        self.text = lines_of(now)
        before = lines_of(recorded)
        self._now = _matched(before, self.text)
        self._recorded = {new: old for old, new in self._now.items()}
        self.is_same = before == self.text

    def now(self, line: int) -> int | None:
        """Where a recorded line stands; None where it was edited, or never was."""
        return self._now.get(line - 1)

    def recorded(self, line: int) -> int | None:
        """The recorded line of one of the text; None where it is new."""
        found = self._recorded.get(line)
        return None if found is None else found + 1


def lines_of(text: str) -> list[str]:
    """The lines without their ends, whichever those are."""
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")


def _matched(before: list[str], after: list[str]) -> dict[int, int]:
    """Equal lines by number; what is the same at both ends is not searched."""
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    most = shorter - head
    tail = next((at for at in range(most) if before[-1 - at] != after[-1 - at]), most)
    found = {at: at for at in range(head)}
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    for block in SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks():
        found |= {head + block.a + at: head + block.b + at for at in range(block.size)}
    return found | {len(before) - 1 - at: len(after) - 1 - at for at in range(tail)}


def units(text: str, encoding: Encoding) -> int:
    """The length of a text in the protocol's units."""
    kind = PositionEncodingKind(encoding)
    data = text.encode(_CODECS.get(kind, "utf-16-le"), "surrogatepass")
    return len(data) // _UNIT_BYTES.get(kind, 2)


def statement(text: str, line: int, column: int, encoding: Encoding) -> Range:
    """From a 1-based column of a line (0: its first character) to its last one that is no space or comment."""
    start = column - 1 if 0 < column <= len(text) else len(text) - len(text.lstrip())
    end = max(len(text.rstrip()), start)
    return Range(
        Position(line, units(text[:start], encoding)), Position(line, max(units(text[:end], encoding), 0))
    )


def whole(text: str, line: int, encoding: Encoding) -> Range:
    """All of a line."""
    return Range(Position(line, 0), Position(line, units(text, encoding)))
