"""What had to be invented or was passed over, counted by kind and place, so that the report can say so."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from gluon_inspect.recording.child.places import place

_PLACES = 3


class MadeUp:
    """Counts answers that no GPU computed and calls that were not made; `notes` puts them in words."""

    def __init__(self, assumed: Mapping[str, int | float | bool] | None = None) -> None:
        self._assumed = assumed or {}
        self._news = False
        self._answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._calls: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._remarks: dict[str, None] = {}

    def add(self, what: str) -> None:
        """One more answer of this kind was invented, here."""
        self._answers[what][place()] += 1
        self._news = True

    def call(self, function: str) -> None:
        """One more call of something that is no Triton kernel, or cannot run here, was left out."""
        self._calls[function][place()] += 1
        self._news = True

    def remark(self, text: str) -> None:
        """Something to say once, however often it happened."""
        self._remarks[text] = None
        self._news = True

    def assumed(self) -> int | float | bool | None:
        """What the user says is read at this place of the script; None where nothing was said."""
        return self._assumed.get(place()) if self._assumed else None

    def has_news(self) -> bool:
        """Whether there is more to say than when this was last asked."""
        news, self._news = self._news, False
        return news

    def notes(self) -> tuple[str, ...]:
        """One line a kind, the most frequent first."""
        answers = (f"made up {n} x: {what}{at}" for what, n, at in _most_frequent(self._answers))
        calls = (f"library call, not inspected: {name} ({n} x){at}" for name, n, at in _most_frequent(self._calls))
        return (*self._remarks, *answers, *calls)


def _most_frequent(counted: dict[str, Counter[str]]) -> list[tuple[str, int, str]]:
    ordered = sorted(counted.items(), key=lambda item: -item[1].total())
    return [(what, places.total(), _at(places)) for what, places in ordered]


def _at(places: Counter[str]) -> str:
    """ ", at a.py:3, b.py:7 and 2 other places"; nothing where no place is known."""
    known = [name for name, _ in places.most_common() if name]
    more = len(known) - _PLACES
    rest = f" and {more} other place{'s' * (more > 1)}" if more > 0 else ""
    return f", at {', '.join(known[:_PLACES])}{rest}" if known else ""
