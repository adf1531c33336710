"""Axis information: what the compiler knows of a value without running it.

Per dimension: `contiguity` (length of runs that rise by one), `divisibility` (power of two that divides
the first element of every run; bytes for pointers), `constancy` (length of runs of equal values). The
lattice and its joins follow the published behaviour of Triton's axis analysis
(lib/Analysis/AxisInfo.cpp), which decides the vector width of every global access.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd as _gcd

from gluon_inspect.model.mlir import DenseElements

UNBOUNDED = 1 << 62
"""Divisibility of zero and state of a value not yet visited."""


def gcd(*numbers: int) -> int:
    """Greatest common divisor; zero is the neutral element."""
    return _gcd(*numbers)


def power_of_two_divisor(value: int) -> int:
    """The largest power of two that divides `value` (UNBOUNDED for zero)."""
    return value & -value if value else UNBOUNDED


@dataclass(frozen=True, slots=True)
class AxisInfo:
    """What is known of one value; tuples have one entry a dimension (one for scalars)."""

    contiguity: tuple[int, ...]
    divisibility: tuple[int, ...]
    constancy: tuple[int, ...]
    constant: int | None = None

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.contiguity)


def pessimistic(rank: int) -> AxisInfo:
    """Nothing known."""
    ones = (1,) * max(rank, 1)
    return AxisInfo(ones, ones, ones)


def from_hints(info: AxisInfo, hints: Mapping[str, object]) -> AxisInfo:
    """`info` overridden by tt.contiguity / tt.divisibility / tt.constancy attributes."""

    def pick(name: str, old: tuple[int, ...]) -> tuple[int, ...]:
        hint = hints.get(name)
        if isinstance(hint, int):
            return (hint, *old[1:])
        if isinstance(hint, DenseElements) and len(hint.values) in (1, len(old)):
            values = hint.values * len(old) if len(hint.values) == 1 else hint.values
            return tuple(int(value) for value in values)
        return old

    return AxisInfo(
        pick("tt.contiguity", info.contiguity),
        pick("tt.divisibility", info.divisibility),
        pick("tt.constancy", info.constancy),
        info.constant,
    )


def joined_divisibility(left: AxisInfo, right: AxisInfo, dim: int) -> int:
    """Divisibility of a value that is either of two: runs may be cut, and then start anywhere."""
    a, b = left.contiguity[dim], right.contiguity[dim]
    base = gcd(left.divisibility[dim], right.divisibility[dim])
    return base if a == b or UNBOUNDED in (a, b) else gcd(base, a, b)


def join(left: AxisInfo | None, right: AxisInfo | None) -> AxisInfo | None:
    """What holds of both; None is "not visited yet"."""
    if left is None or right is None or left.rank != right.rank:
        return left or right
    dims = range(left.rank)
    return AxisInfo(
        tuple(gcd(left.contiguity[d], right.contiguity[d]) for d in dims),
        tuple(joined_divisibility(left, right, d) for d in dims),
        tuple(gcd(left.constancy[d], right.constancy[d]) for d in dims),
        left.constant if left.constant == right.constant else None,
    )
