"""How good the model's choice among timed configurations is: `python -m benchmarks.tune [--file F]`.

Of every problem with eight configurations or more, in the launches of benchmarks.timed: what the one that is
expected fastest reaches of the best, and whether the best is among the first five. Then the error between two
configurations of one problem, which `targets.bands.BETWEEN_CONFIGURATIONS` holds.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import log
from pathlib import Path
from statistics import fmean

from benchmarks.timed import TRUTH, launches
from benchmarks.times import Row, quantile, rows

_MANY, _FIRST = 8, 5
_OTHER_WORK = ("elementwise",)
"""Kernels whose launches of one problem compute different things."""


def main() -> None:
    """Print a line a problem, then the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, default=TRUTH / "times_h200.json.gz", help="timed launches")
    parser.add_argument("--least", type=int, default=_MANY, help="configurations of a problem")
    chosen = parser.parse_args()
    problems = defaultdict[tuple[str, str], list[Row]](list)
    for row in rows(launches(chosen.file)):
        if row.timed.family not in _OTHER_WORK:
            problems[row.timed.family, row.timed.problem].append(row)
    judged = [_judged(*key, own) for key, own in problems.items() if len(own) >= chosen.least]
    reached, among = [each[0] for each in judged], [each[1] for each in judged]
    print(f"{len(judged)} problems: first choice reaches {fmean(reached):.1%}, {min(reached):.1%} at least")
    print(f"the best is among the first {_FIRST} in {fmean(among):.0%}")
    apart = [each for own in problems.values() for each in _apart(own)]
    half, most = quantile(apart, 0.5), quantile(apart)
    print(f"between configurations: of {len(apart)} pairs nine of ten within {most:.3f}, half within {half:.3f}")


def _judged(family: str, problem: str, own: Sequence[Row]) -> tuple[float, bool]:
    ranked = sorted(own, key=lambda row: row.cost.seconds)
    best = min(row.timed.seconds for row in own)
    rank = next(at for at, row in enumerate(ranked, 1) if row.timed.seconds == best)
    reached = best / ranked[0].timed.seconds
    first = f"first {reached:6.1%}  best is number {rank:2d}"
    print(f"{family:18s} {len(own):3d} configurations  {first}  {problem[:40]}")
    return reached, rank <= _FIRST


def _apart(own: Sequence[Row]) -> Iterator[float]:
    """How far the ratio of two expected times is from that of the measured ones, where these are alike."""
    for one, other in combinations(own, 2):
        if 0.5 < one.timed.seconds / other.timed.seconds < 2.0:
            yield abs(log(one.ratio / other.ratio))


if __name__ == "__main__":
    main()
