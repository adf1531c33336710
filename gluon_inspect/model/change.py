"""What is different from a baseline: rows that any renderer can draw."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.model.finding import Scalar
from gluon_inspect.model.location import Location

EXPECTED_TIME = "expected_time"
"""The key of the change that says what a `TimeChange` says."""


@dataclass(frozen=True, slots=True)
class TimeChange:
    """What one launch of a kernel is expected to take, before and after, in seconds; None: not there, or unknown.

    `band`: the wider of the two times' bands, a share of the time; None where timed launches tell none.
    """

    kernel: str
    target: str
    before: float | None
    after: float | None
    band: float | None = None

    @property
    def ratio(self) -> float | None:
        """After over before: above 1 is slower."""
        return self.after / self.before if self.after is not None and self.before else None

    @property
    def is_within_error(self) -> bool | None:
        """Whether the model cannot tell the two times apart; None where its error or a time is not known."""
        if self.ratio is None or self.band is None:
            return None
        return max(self.ratio, 1 / self.ratio) - 1 <= self.band if self.ratio else False


@dataclass(frozen=True, slots=True)
class Change:
    """One number or finding of one kernel, before and after (None: not there, or unknown).

    `better` None: neither. `weight` orders changes, heaviest first: the ratio of the change, at least 1.
    """

    kernel: str
    target: str
    subject: str
    before: Scalar
    after: Scalar
    better: bool | None
    weight: float = 1.0
    location: Location | None = None
    key: str = ""
    """The same for the same number whatever its line; empty for findings and kernels."""
    rule: str = ""
    """Of a finding that is gone or new; empty for everything else."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A report against a baseline. `worse` holds the ids (kernel index, finding id) of what got worse.

    `times`: of every kernel on either side, what got slowest first.
    """

    baseline: str
    changes: tuple[Change, ...]
    worse: frozenset[tuple[int, str]] = frozenset()
    times: tuple[TimeChange, ...] = ()

    @property
    def vanished(self) -> tuple[str, ...]:
        """Kernels, with their targets, that the baseline has and the report has not."""
        gone = (each for each in self.changes if each.subject == "the kernel" and each.after == "absent")
        return tuple(dict.fromkeys(f"{each.kernel} for {each.target}" for each in gone))
