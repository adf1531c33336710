"""Expected against measured times of launches on an H200: `python -m benchmarks.times [--only WORD] [--file F]`.

One table: all launches, families of kernels, what limits them; how good the configuration is that the model
picks; whether bands hold that were learned without the family; pairs; where warps stand against the profiler's
samples. Nothing of the profiler goes into the expectation. Published figures are not evaluated: their scripts
are not at hand.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log
from pathlib import Path
from statistics import correlation, fmean, median

from benchmarks.timed import TRUTH, Pair, Timed, launches, pairs
from gluon_inspect.cost.band import limit_of
from gluon_inspect.cost.launch import launch_cost
from gluon_inspect.model.cost import KernelCost

_BINS, _FIRST, _APART = 24, 3, 2
_MANY, _SIDE, _COVER = 8, 0.1, 0.9


@dataclass(frozen=True, slots=True)
class Row:
    """A launch with its expectation."""

    timed: Timed
    cost: KernelCost

    @property
    def ratio(self) -> float:
        """Expected over measured."""
        return self.cost.seconds / self.timed.seconds

    @property
    def error(self) -> float:
        """How far the expected time is from the measured one, as a share of it."""
        return abs(self.ratio - 1.0)

    @property
    def off(self) -> float:
        """How far the measured time is from the expected one, as a share of that: what a band must hold."""
        return abs(1.0 / self.ratio - 1.0)


def rows(timed: Iterable[Timed]) -> list[Row]:
    """Every launch whose time is expected, in order."""
    found = ((each, launch_cost(each.facts)) for each in timed)
    return [Row(each, cost) for each, cost in found if cost is not None]


def families(found: Iterable[Row]) -> Mapping[str, list[Row]]:
    """Rows by kernel."""
    return _grouped((row.timed.family, row) for row in found)


def _grouped(named: Iterable[tuple[str, Row]]) -> Mapping[str, list[Row]]:
    groups = defaultdict[str, list[Row]](list)
    for name, row in named:
        groups[name].append(row)
    return groups


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    for rank, at in enumerate(order):
        ranks[at] = float(rank)
    return ranks


def _line(name: str, own: Sequence[Row]) -> str:
    near = fmean(row.error <= 0.2 for row in own)
    within = [row.off <= row.cost.band for row in own if row.cost.band is not None]
    held = f"{fmean(within):4.0%} of {len(within)}" if within else "(none)"
    middle = median(row.ratio for row in own)
    return (
        f"{name:22s} {len(own):4d}  median error {median(r.error for r in own):6.1%}  within 20 % {near:4.0%}"
        f"  expected/measured {middle:5.2f}  in band {held}"
    )


def picked(own: Iterable[Row]) -> list[float]:
    """Per problem with several configurations: the best measured time over that of the one expected fastest."""
    problems = _grouped((row.timed.problem, row) for row in own)
    return [
        min(row.timed.seconds for row in same) / min(same, key=lambda row: row.cost.seconds).timed.seconds
        for same in problems.values()
        if len(same) > 1
    ]


def quantile(values: Iterable[float], share: float = _COVER) -> float:
    """The smallest of the values that at least `share` of them and of one more do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered), ceil(share * (len(ordered) + 1))) - 1]


def learned(found: Iterable[Row]) -> Mapping[str, tuple[float, int]]:
    """Bands by what limits a launch, and of how many launches."""
    groups = _grouped((limit_of(row.cost.limiting), row) for row in found if row.cost.band is not None)
    return {name: (quantile(row.off for row in own), len(own)) for name, own in groups.items()}


def held_out(found: Sequence[Row]) -> float:
    """Share of launches within the band that all other families teach."""
    inside, told = 0, [row for row in found if row.cost.band is not None]
    for family, own in families(told).items():
        others = [row for row in told if row.timed.family != family]
        taught, widest = learned(others), quantile(row.off for row in others)
        inside += sum(row.off <= taught.get(limit_of(row.cost.limiting), (widest, 0))[0] for row in own)
    return inside / len(told)


def _pairs(found: Iterable[Pair]) -> Iterator[str]:
    apart: list[float] = []
    right = 0
    for pair in found:
        own = rows(pair.sides)
        if len(own) < 2:
            continue
        measured = own[0].timed.seconds / own[1].timed.seconds
        expected = own[0].cost.seconds / own[1].cost.seconds
        fits = _same_side(measured, expected)
        apart.append(abs(log(expected / measured)))
        right += fits
        yield f"{pair.name:34s} measured {measured:7.2f}  expected {expected:7.2f}  {'' if fits else 'wrong side'}"
    yield f"pairs: {right} of {len(apart)} on the right side, median |log| {median(apart):.3f}"


def _same_side(measured: float, expected: float) -> bool:
    more, less = 1.0 + _SIDE, 1.0 / (1.0 + _SIDE)
    close = less <= expected / measured <= more
    return close or (measured > more and expected > more) or (measured < less and expected < less)


def _profiled(found: Iterable[Row]) -> Iterator[str]:
    hot, overlap = defaultdict[str, list[bool]](list), defaultdict[str, list[float]](list)
    for row in found:
        if row.timed.profile:
            samples = [float(each[2]) for each in row.timed.profile["instructions"]]
            stands = _stands(row.cost, len(samples))
            hot[row.timed.family].append(_is_found(samples, stands))
            overlap[row.timed.family].append(_overlap(samples, stands))
    for family, shares in overlap.items():
        among = f"{sum(hot[family])} of {len(shares)}"
        yield f"profiled {family:22s} hottest among first three {among:8s} overlap {median(shares):.2f}"
    if overlap:
        every = [each for own in hot.values() for each in own]
        shares = [each for own in overlap.values() for each in own]
        yield f"profiled: hottest among first three {fmean(every):.0%}, overlap {median(shares):.2f}"


def _stands(cost: KernelCost, size: int) -> list[float]:
    shares = [0.0] * size
    for each in cost.standing:
        if each.index < size:
            shares[each.index] = each.share
    return shares


def _is_found(samples: Sequence[float], stands: Sequence[float]) -> bool:
    first = sorted(range(len(stands)), key=lambda at: -stands[at])[:_FIRST]
    hottest = samples.index(max(samples))
    return any(abs(at - hottest) <= _APART for at in first)


def _overlap(samples: Sequence[float], stands: Sequence[float]) -> float:
    pairs_of_bins = zip(_binned(samples), _binned(stands), strict=True)
    return sum(min(each) for each in pairs_of_bins)


def _binned(values: Sequence[float]) -> list[float]:
    bins, total = [0.0] * _BINS, sum(values) or 1.0
    for at, value in enumerate(values):
        bins[at * _BINS // len(values)] += value / total
    return bins


def _table(found: Sequence[Row]) -> Iterator[str]:
    for name, own in families(found).items():
        reached = picked(own) if len(own) >= _MANY else []
        note = f"  picks {fmean(reached):.0%} of the best, {min(reached):.0%} at least" if reached else ""
        yield _line(name, own) + note
    for name, own in _grouped((f"limit: {limit_of(row.cost.limiting)}", row) for row in found).items():
        yield _line(name, own)
    for row in sorted(found, key=lambda row: -abs(log(row.ratio)))[:10]:
        us, limit = row.timed.seconds * 1e6, row.cost.limiting
        yield f"worst: {row.timed.name:46s} expected/measured {row.ratio:5.2f} of {us:8.1f} µs, {limit}"
    yield from _profiled(found)
    yield _line("all", found)
    if len(found) > 1:
        expected = _ranks([row.cost.seconds for row in found])
        measured = _ranks([row.timed.seconds for row in found])
        yield f"rank correlation {correlation(_ranks(expected), _ranks(measured)):.4f}"
    if len(families(found)) > 1:
        yield f"bands learned from all other families hold {held_out(found):.0%}"
    for name, (band, count) in learned(found).items():
        yield f"band: {name:10s} {band:.3f} of {count} launches"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="launches whose kernel or name holds this word; no pairs")
    parser.add_argument("--file", type=Path, default=TRUTH / "times_h200.json.gz", help="timed launches")
    chosen = parser.parse_args(argv)
    found = rows(launches(chosen.file, chosen.only))
    for line in _table(found):
        print(line)
    if not chosen.only and chosen.file.parent == TRUTH:
        for line in _pairs(pairs()):
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
