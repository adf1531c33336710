"""Lowering against Triton: equality on generated encodings x shapes, and the time a lowering takes.

    python -m benchmarks.layouts [CASES]

Prints one line a family; exits 1 where a basis differs or a lowering takes more than LIMIT_MS.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import Encoding
from tests.layouts.generate import FAMILIES, cases
from tests.layouts.oracle import ABORTED, Oracle

CASES = 5200
LIMIT_MS = 1.0
SEED = 1


def verdict(oracle: Oracle, encoding: Encoding, shape: tuple[int, ...]) -> str:
    """One of equal, different, refused (Triton raises or aborts)."""
    text = write_layout(encoding, shape)
    theirs = oracle.bases(text, shape)
    if theirs == ABORTED or not isinstance(theirs, dict) or "error" in theirs:
        return "refused"
    try:
        found = linear_layout(encoding, shape).bases
    except LayoutError as error:
        found, reason = {}, str(error)
        print(f"  {text} {shape}: {reason}")
    same = all([list(v) for v in found.get(name, ())] == vectors for name, vectors in theirs.items())
    if not same:
        print(f"  different: {text} {shape}")
    return "equal" if same else "different"


def milliseconds(encoding: Encoding, shape: tuple[int, ...]) -> float:
    """The time of one lowering, nothing memoised; the better of two, since this machine is shared."""
    times = list[float]()
    for _ in range(2):
        linear_layout.cache_clear()
        start = time.perf_counter()
        with suppress(LayoutError):
            linear_layout(encoding, shape)
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def main(count: int) -> int:
    """Compare and time `count` cases."""
    oracle, found = Oracle(), defaultdict[str, Counter[str]](Counter)
    times = defaultdict[str, list[float]](list)
    for family, encoding, shape in cases(SEED, count):
        found[family][verdict(oracle, encoding, shape)] += 1
        times[family].append(milliseconds(encoding, shape))
    oracle.close()
    for family in FAMILIES:
        middle, most = statistics.median(times[family]), max(times[family])
        print(f"{family:22} {dict(found[family])}  lowering {middle:.3f} ms median, {most:.3f} ms at most")
    total = sum(found.values(), Counter[str]())
    worst = max(max(values) for values in times.values())
    print(f"{'all':22} {dict(total)}  {worst:.3f} ms at most, {oracle.aborts} aborts of Triton")
    return int(total["different"] > 0 or worst > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else CASES))
