"""Which lines of one text belong to a line of another, through the author's Python. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gluon_inspect.listings.document import Chain, Document, Language, Place


@dataclass(frozen=True, slots=True)
class Pick:
    """What was picked: the chains of a line. `anywhere`: a source line, which every caller of it counts for."""

    chains: tuple[Chain, ...]
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class Lit:
    """Lines that belong to a pick (0-based): `strong` certainly, `weak` by the Python line but not the column."""

    strong: frozenset[int] = frozenset()
    weak: frozenset[int] = frozenset()
    lead: int | None = field(default=None, compare=False)
    """The line to show: of the certain ones, else of all, the first of those that do most of the work."""

    @property
    def all(self) -> frozenset[int]:
        """Both kinds."""
        return self.strong | self.weak


NOTHING = Lit()


def pick(document: Document, line: int) -> Pick:
    """The pick of one line of a document."""
    return Pick(document.chains.get(line, ()), document.language is Language.PYTHON)


class LinkIndex:
    """A document's lines by place, built once, asked at every move of a cursor."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._lines: dict[tuple[str, int], list[int]] = {}
        for line, chains in document.chains.items():
            for key in {_key(place) for chain in chains for place in chain}:
                self._lines.setdefault(key, []).append(line)

    def lit(self, picked: Pick) -> Lit:
        """The lines that light up."""
        if self.document.language is Language.PYTHON:
            return self._source(picked)
        strong: set[int] = set()
        weak: set[int] = set()
        for chain in picked.chains:
            for line in self._lines.get(_key(chain[0]), ()):
                self._sort(line, chain, picked.anywhere, strong, weak)
        return self._led(strong, weak)

    def _led(self, strong: set[int], weak: set[int]) -> Lit:
        ranks = self.document.ranks
        lead = min(strong or weak, key=lambda line: (-ranks.get(line, 0), line), default=None)
        return Lit(frozenset(strong), frozenset(weak - strong), lead)

    def _sort(self, line: int, chain: Chain, anywhere: bool, strong: set[int], weak: set[int]) -> None:
        for own in self.document.chains[line]:
            if not (anywhere or _same_origin(chain, own)):
                continue
            (strong if anywhere or _same_column(chain[0], own[0]) else weak).add(line)

    def _source(self, picked: Pick) -> Lit:
        """The innermost place in this file is certain, the calls it was inlined through are not."""
        strong: set[int] = set()
        weak: set[int] = set()
        for chain in picked.chains:
            here = [self._lines[_key(place)] for place in chain if _key(place) in self._lines]
            strong.update(line for lines in here[:1] for line in lines)
            weak.update(line for lines in here[1:] for line in lines)
        return self._led(strong, weak)


def files_of(picked: Pick) -> tuple[str, ...]:
    """The files a pick's places are in, innermost first."""
    return tuple(dict.fromkeys(place.file for chain in picked.chains for place in chain))


def _key(place: Place) -> tuple[str, int]:
    return place.file, place.line


def _same_column(one: Place, other: Place) -> bool:
    return not one.column or not other.column or one.column == other.column


def _same_origin(one: Chain, other: Chain) -> bool:
    """The same innermost place, and no two call sites that contradict: a side may lack its callers."""
    if not other or _key(one[0]) != _key(other[0]):
        return False
    left, right = _keys(one), _keys(other)
    return left <= right or right <= left


def _keys(chain: Iterable[Place]) -> frozenset[tuple[str, int]]:
    return frozenset(map(_key, chain))
