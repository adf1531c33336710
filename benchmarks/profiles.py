"""Put an .ncu-rep's samples into a file of timed launches: `python -m benchmarks.profiles TIMES REPORT OUT`.

TIMES and OUT are as ../shared/truth/times_h200.json.gz is; REPORT (packed with gzip or not) has the same launches
once each. A row an instruction: text, times executed (warps), samples, samples by stall.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gluon_inspect.measure.nsight import read_report
from gluon_inspect.model.measured import ProfiledLaunch


def profiled(path: Path) -> list[ProfiledLaunch]:
    """The launches of a report, in order."""
    data = path.read_bytes()
    return list(read_report(gzip.decompress(data) if path.suffix == ".gz" else data, str(path)))


def row(counters: dict[str, float], stalls: dict[str, float]) -> list[Any]:
    """An instruction as the file has it; its text stands in the case's SASS."""
    return ["", counters.get("executed", 0), sum(stalls.values()), stalls]


def _rows(found: ProfiledLaunch) -> Iterator[list[Any]]:
    yield from (row(dict(each.counts), dict(each.stalls)) for each in found.instructions)


def attached(cases: list[dict[str, Any]], found: list[ProfiledLaunch]) -> int:
    """Give each case the first launch left of its kernel and grid; returns how many got one."""
    left, done = list(found), 0
    for case in cases:
        grid = tuple((*case["grid"], 1, 1)[:3])
        at = next((i for i, each in enumerate(left) if (each.name, each.grid) == (case["kernel"], grid)), None)
        if at is not None:
            launch = left.pop(at)
            case["profile"] = {"counters": dict(launch.counters), "instructions": list(_rows(launch))}
            done += 1
    return done


def main(argv: Sequence[str] | None = None) -> None:
    """Read, join, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("times", "report", "out"):
        parser.add_argument(name, type=Path)
    chosen = parser.parse_args(argv)
    with gzip.open(chosen.times, "rt") as file:
        times = json.load(file)
    print(attached(times["cases"], profiled(chosen.report)), "of", len(times["cases"]))
    packed = gzip.compress(json.dumps(times, separators=(",", ":")).encode(), mtime=0)
    chosen.out.write_bytes(packed)


if __name__ == "__main__":
    main()
