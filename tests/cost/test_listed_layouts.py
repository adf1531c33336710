"""The cost model alone against every listed layout of nine groups, those that hold copies among them."""

from __future__ import annotations

import json
import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from gluon_inspect.cost.model import known_seconds
from gluon_inspect.targets.nvidia import SM_90
from tests.cost.copies import copy_accesses, copy_work
from tests.cost.test_times_of_copies import _estimated, _spearman

_TIMES = Path(__file__).parents[2] / "benchmarks" / "results" / "explain_h200_2026-11-30.json"
_GROUPS = [f"{memory}_{tile}" for memory in ("rm", "cm", "rm2cm") for tile in ("64x64", "16x256", "256x16")]
_NOT_YET = {"rm2cm_64x64": 0.90}
"""A tenth is missing: loads of 8 rows at once beat loads of 32, and nothing in the model says why.

Registers and programs at once decide as much: one CTA an SM more or less shifts these layouts' times by up to 6 %,
each in another direction. What explain proposes here is a conversion (`test_listed_conversions`): 7 % faster.
"""


@lru_cache(maxsize=1)
def _rows():
    """(group, which half, measured ms, predicted ms).

    Rates were searched on one half; what the model is made of was chosen seeing both.
    """
    rows = json.loads(_TIMES.read_text())["rows"]
    listed = [
        (group, row) for row in rows if (group := row["name"].split(" ")[0]) in _GROUPS and "layout_out" not in row
    ]
    found = []
    for group, row in listed:
        memory, tile = group.split("_")
        block, layout = tuple(map(int, tile.split("x"))), row["layout"]
        held = zlib.crc32(str((group, layout)).encode()) & 1
        found.append((group, bool(held), row["ms"], _milliseconds(memory, block, layout)))
    return found


def _milliseconds(memory, block, layout) -> float:
    registers, most = _estimated(block, layout, memory), SM_90.max_registers_per_thread
    work = copy_work(block, layout, min(registers, most), max(0, registers - most) * 4, None)
    return known_seconds(work, copy_accesses(memory, block, layout)) * 1e3


@pytest.mark.parametrize("held", [True, False])
def test_both_halves_are_predicted_alike(held):
    pairs = np.array([(ms, predicted) for _, half, ms, predicted in _rows() if half is held])
    assert len(pairs) > 400
    assert _spearman(*pairs.T) >= 0.96
    assert np.median(np.abs(pairs[:, 1] / pairs[:, 0] - 1)) <= 0.09


@pytest.mark.parametrize("group", _GROUPS)
def test_the_layout_put_first_is_within_3_percent_of_the_best(group):
    rows = [(predicted, ms) for name, _, ms, predicted in _rows() if name == group]
    assert min(rows)[1] * _NOT_YET.get(group, 0.97) <= min(ms for _, ms in rows)
