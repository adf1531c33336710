"""What had to be invented, counted by kind, so that the report can say so."""

from __future__ import annotations

from collections import Counter


class MadeUp:
    """Counts answers that no GPU computed; `notes` puts them in words."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, what: str) -> None:
        """One more answer of this kind was invented."""
        self._counts[what] += 1

    def counts(self) -> dict[str, int]:
        """Kind of answer -> how often."""
        return dict(self._counts)

    def notes(self) -> tuple[str, ...]:
        """One line a kind, the most frequent first."""
        return tuple(f"made up {count} x: {what}" for what, count in self._counts.most_common())
