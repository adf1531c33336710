"""Predicted gains beside measured ones: `gains_table.py CAPTURE MEASURED.json`, both of gains.py.

`claimed`: what the first finding says that the change gives back; `expected`: of the time of the changed kernel,
compiled. The gain is the time before over the time after.
"""

import json
import math
import statistics
import sys
from pathlib import Path

from gluon_inspect.loading.disassemble import with_sass
from gluon_inspect.loading.load import load
from gluon_inspect.pipeline import inspect


def predicted(capture: str) -> list[dict]:
    """Per launch, in order: expected microseconds, and the first finding's rule and loss."""
    rows = []
    for kernel in inspect(with_sass(load(capture))).kernels:
        first = max(kernel.findings, key=lambda f: f.cost or 0.0, default=None)
        cost = kernel.cost
        rows.append(
            {
                "kernel": kernel.name,
                "us": cost.seconds * 1e6 if cost else None,
                "rule": first.rule if first else "",
                "lost": (first.cost or 0.0) if first else 0.0,
            }
        )
    return rows


def main() -> None:
    """A row a pair, then the median of |log ratio| and those on the wrong side of 10 %."""
    rows, measured = predicted(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())["pairs"]
    found = {}
    errors, claims, wrong = [], [], []
    names = list(measured)
    if len(rows) != 2 * len(names):
        raise SystemExit(f"{len(rows)} launches for {len(names)} pairs")
    print(
        f"{'pair':22}{'rule':7}{'first':7}{'measured µs':>20}{'gain':>7}{'expected µs':>20}{'gain':>7}{'claim':>9}"
    )
    for number, name in enumerate(names):
        before, after, real = rows[2 * number], rows[2 * number + 1], measured[name]
        if "error" in real:
            print(f"{name:22}{real['error'][:80]}")
            continue
        gain, expected = real["before"] / real["after"], before["us"] / after["us"]
        claimed = 1.0 / (1.0 - min(before["lost"], 0.999))
        errors.append(abs(math.log(expected / gain)))
        claims.append(abs(math.log(claimed / gain)))
        if (expected > 1.1 and gain < 0.9) or (expected < 0.9 and gain > 1.1):
            wrong.append(name)
        print(
            f"{name:22}{real['rule']:7}{before['rule']:7}{real['before']:10.1f}{real['after']:10.1f}{gain:7.2f}"
            f"{before['us']:10.1f}{after['us']:10.1f}{expected:7.2f}{claimed:9.2f}"
        )
        found[name] = {"gain": gain, "expected": expected, "claimed": claimed}
    print(
        f"{len(errors)} pairs; median |log ratio| {statistics.median(errors):.3f} of the changed kernel's time, "
        f"{statistics.median(claims):.3f} of the finding's claim; wrong side of 10 %: {wrong or 'none'}"
    )


if __name__ == "__main__":
    main()
