"""What a series of times says, and whether two say the same."""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.model.report import Timing


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of a non-empty sample lies, interpolated."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def timing(milliseconds: Sequence[float]) -> Timing:
    """Median, 20th and 80th percentile of a non-empty series."""
    return Timing(
        median=quantile(milliseconds, 0.5),
        p20=quantile(milliseconds, 0.2),
        p80=quantile(milliseconds, 0.8),
        runs=len(milliseconds),
    )


def interleaved(first: Sequence[float], second: Sequence[float]) -> tuple[Timing, str]:
    """One timing of two series that were taken in turns, and why it is not to be relied on (empty: it is).

    They are inconclusive when their medians differ by more than the wider of their own spreads.
    """
    one, two = timing(first), timing(second)
    both = timing([*first, *second])
    spread = max(one.p80 - one.p20, two.p80 - two.p20)
    apart = abs(one.median - two.median)
    if apart <= spread:
        return both, ""
    return both, (
        f"inconclusive: two interleaved series differ by {apart / both.median:.1%}, "
        f"more than their own spread of {spread / both.median:.1%}"
    )
