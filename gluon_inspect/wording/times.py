"""The expected time of a launch in words: one headline for all renderers, and where warps stand by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gluon_inspect.model.cost import KernelCost, Resource, Stall, dominant
from gluon_inspect.model.location import Location

_MICRO, _MILLI = 1e-6, 1e-3
_THOUSAND = 1000.0
_WAITS: Mapping[Stall, str] = {
    Stall.LONG_SCOREBOARD: "wait for global memory",
    Stall.SHORT_SCOREBOARD: "wait for shared memory or special functions",
    Stall.GMMA: "wait for matrix products",
    Stall.BARRIER: "wait at a barrier",
    Stall.LG: "wait for the queue to global memory",
    Stall.MIO: "wait for the queue to shared memory",
    Stall.MATH: "wait for an arithmetic pipe",
    Stall.WAIT: "wait for fixed latencies",
    Stall.NOT_SELECTED: "wait for an issue slot",
    Stall.NO_INSTRUCTION: "wait for instructions",
    Stall.BRANCH: "wait for a branch",
}


@dataclass(frozen=True, slots=True)
class Place:
    """One of the author's lines, or an instruction where there are no lines. `share` of the time, 0 to 1."""

    name: str
    location: Location | None
    share: float
    stalls: Mapping[Stall, float]


def headline(cost: KernelCost) -> str:
    """The time with its band, what is busiest and where warps wait."""
    return ": ".join(part for part in (f"Expected time: {time_with_band(cost)}", _why(cost)) if part)


def time_with_band(cost: KernelCost) -> str:
    """Three digits, and the band where timed launches tell one; "at least" where something was left out."""
    band = "" if cost.band is None else f" ± {cost.band:.0%}"
    least = "at least " if cost.is_lower_bound else ""
    return f"{least}{three_digits(cost.seconds)}{band}"


def three_digits(seconds: float) -> str:
    """A time in µs or ms to three digits."""
    unit, name = (_MICRO, "µs") if seconds < _MILLI else (_MILLI, "ms")
    value = seconds / unit
    digits = max(0, 2 - len(str(int(value))) + 1)
    return f"{value:.{digits}f} {name}"


def by_place(cost: KernelCost) -> tuple[Place, ...]:
    """Where warps stand, most of the time first."""
    lines = (
        Place(f"line {line.location.line}", line.location, line.share, line.stalls)
        for line in cost.standing_by_line()
        if line.location is not None
    )
    bare = (
        Place(each.instruction, None, each.share, each.stalls) for each in cost.standing if each.location is None
    )
    return tuple(sorted((*lines, *bare), key=lambda place: -place.share))


def waited_for(stall: Stall) -> str:
    """What is waited for at a stall, as in "global memory"."""
    return _WAITS[stall].removeprefix("wait for ").removeprefix("wait at a ").removeprefix("the ")


def _why(cost: KernelCost) -> str:
    busiest = f"{cost.limiting.value} busy {min(1.0, cost.parts[cost.limiting] / cost.seconds):.0%}"
    if not cost.standing:
        return busiest
    place = by_place(cost)[0]
    stall = dominant(place.stalls) or Stall.WAIT
    where = f" at {place.name}" if place.location is not None else ""
    waits = f"warps {_WAITS[stall]}{where}"
    if cost.limiting is Resource.LATENCY:
        return waits
    return f"{busiest}, {waits}"
