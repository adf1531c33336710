"""What had to be invented or was passed over, counted by kind, so that the report can say so."""

from __future__ import annotations

from collections import Counter


class MadeUp:
    """Counts answers that no GPU computed and calls that were not made; `notes` puts them in words."""

    def __init__(self) -> None:
        self._answers: Counter[str] = Counter()
        self._calls: Counter[str] = Counter()
        self._remarks: dict[str, None] = {}

    def add(self, what: str) -> None:
        """One more answer of this kind was invented."""
        self._answers[what] += 1

    def call(self, function: str) -> None:
        """One more call of a vendor library was left out."""
        self._calls[function] += 1

    def remark(self, text: str) -> None:
        """Something to say once, however often it happened."""
        self._remarks[text] = None

    def notes(self) -> tuple[str, ...]:
        """One line a kind, the most frequent first."""
        answers = (f"made up {count} x: {what}" for what, count in self._answers.most_common())
        calls = (f"library call, not inspected: {name} ({count} x)" for name, count in self._calls.most_common())
        return (*self._remarks, *answers, *calls)
