from __future__ import annotations

import tracemalloc
from pathlib import Path

from gluon_inspect.loading import load
from gluon_inspect.pipeline import inspect

_MOST_BYTES = 200 << 20
"""The 262,144 iterations' tiles of 128 x 64 would have 2 billion places: 17 GB."""


def test_a_persistent_products_evaluation_does_not_grow_with_trips_times_tile():
    """8192 x 8192 x 4096 by 132 programs in tiles of 128 x 128 x 64: every trip of both loops is counted."""
    capture = load(str(Path(__file__).parent / "captures" / "persistent_product.gi"))
    tracemalloc.start()
    (report,) = inspect(capture, judged=False).kernels
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < _MOST_BYTES
    assert (report.programs.evaluated, report.programs.total) == (132, 132)
    found = {each.id: each.executions for each in report.accesses}
    tiles, trips = 64 * 64, 4096 // 64
    assert {found["g0"], found["g6"]} == {tiles}
    assert {found["g4"], found["g5"]} == {tiles * trips}
