"""Where the profiler's samples found warps, beside where they are expected to stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from gluon_inspect.model.cost import KernelCost
from gluon_inspect.model.finding import Column, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.measured import ProfiledLaunch

_MOST_PLACES, _MOST_REASONS, _LEAST_REASON = 8, 3, 0.1
_Key = tuple[str, int]
"""One of the author's lines, or an instruction with its place in the function: in another binary it is another."""
_Stalls = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Stood:
    """Stalls by place as shares of all, and what the places are called."""

    stalls: Mapping[_Key, _Stalls]
    names: Mapping[_Key, tuple[str, Location | None]]

    def share(self, key: _Key) -> float:
        return sum(self.stalls.get(key, {}).values())


def sampled_table(
    cost: KernelCost | None, profiled: ProfiledLaunch, places: Mapping[int, Location | None]
) -> Table:
    """By the author's line (instructions where there are no lines); most samples first. Empty without samples.

    `places` gives the line of each instruction, by its offset in bytes.
    """
    sampled = _sampled(profiled, places)
    expected = _Stood({}, {}) if cost is None else _expected(cost)
    every = dict.fromkeys((*sampled.stalls, *expected.stalls))
    order = sorted(every, key=lambda key: -sampled.share(key))
    shown = order[:_MOST_PLACES] if sampled.stalls else []
    names = {**expected.names, **sampled.names}
    columns = (
        Column("where"),
        Column("sampled", "right"),
        Column("expected", "right"),
        Column("sampled waits for"),
        Column("expected waits for"),
    )
    rows = tuple(
        (
            names[key][0],
            f"{sampled.share(key):.0%}",
            f"{expected.share(key):.0%}" if expected.stalls else None,
            _reasons(sampled.stalls.get(key, {})),
            _reasons(expected.stalls.get(key, {})),
        )
        for key in shown
    )
    both = sum(min(sampled.share(key), expected.share(key)) for key in order)
    note = f"the two distributions have {both:.0%} in common" if expected.stalls else "nothing was expected"
    locations = tuple(names[key][1] for key in shown)
    return Table("measured_standing", "Sampled and expected stalls", columns, rows, locations, note)


def _sampled(profiled: ProfiledLaunch, places: Mapping[int, Location | None]) -> _Stood:
    stalls: dict[_Key, Counter[str]] = {}
    names: dict[_Key, tuple[str, Location | None]] = {}
    total = sum(sum(each.stalls.values()) for each in profiled.instructions)
    for index, each in enumerate(profiled.instructions):
        if not each.stalls:
            continue
        key = _named(names, index, each.text, places.get(each.offset))
        shares = {name: samples / total for name, samples in each.stalls.items()}
        stalls.setdefault(key, Counter()).update(shares)
    return _Stood(stalls, names)


def _expected(cost: KernelCost) -> _Stood:
    stalls: dict[_Key, Counter[str]] = {}
    names: dict[_Key, tuple[str, Location | None]] = {}
    for each in cost.standing:
        key = _named(names, each.index, each.instruction, each.location)
        stalls.setdefault(key, Counter()).update({stall.value: share for stall, share in each.stalls.items()})
    return _Stood(stalls, names)


def _named(names: dict[_Key, tuple[str, Location | None]], index: int, text: str, place: Location | None) -> _Key:
    key = (text, index) if place is None else (place.file, place.line)
    names.setdefault(key, (text, None) if place is None else (f"line {place.line}", place))
    return key


def _reasons(stalls: _Stalls) -> str:
    whole = sum(stalls.values())
    found = sorted(stalls.items(), key=lambda item: -item[1])[:_MOST_REASONS]
    return ", ".join(f"{name} {share / whole:.0%}" for name, share in found if share >= _LEAST_REASON * whole)
