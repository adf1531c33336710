"""What is different from a baseline: rows that any renderer can draw."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.model.finding import Scalar
from gluon_inspect.model.location import Location


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


@dataclass(frozen=True, slots=True)
class Comparison:
    """A report against a baseline. `worse` holds the ids (kernel index, finding id) of what got worse."""

    baseline: str
    changes: tuple[Change, ...]
    worse: frozenset[tuple[int, str]] = frozenset()

    @property
    def vanished(self) -> tuple[str, ...]:
        """Kernels, with their targets, that the baseline has and the report has not."""
        gone = (each for each in self.changes if each.subject == "the kernel" and each.after == "absent")
        return tuple(dict.fromkeys(f"{each.kernel} for {each.target}" for each in gone))
