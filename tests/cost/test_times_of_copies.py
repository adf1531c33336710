"""The cost model against layouts timed on an H200: the shared sweep, and our own other shapes and types."""

from __future__ import annotations

import ast
import json
import re
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from gluon_inspect.cost.model import kernel_cost
from tests.cost.copies import copy_accesses, copy_work

_ROOT = Path(__file__).parents[2]
_SWEEP = _ROOT.parent / "shared" / "truth" / "sweep_h200.json"
_OWN = _ROOT / "benchmarks" / "results" / "copy_layouts_h200_2026-11-29.json"
_BINARIES = _ROOT / "tests" / "data" / "cost" / "copy_2d.json"


def _layout(text: str):
    return tuple(ast.literal_eval(part) for part in re.findall(r"=(\[[^]]*\])", text)[:4])


@lru_cache(maxsize=1)
def _sweep():
    if not _SWEEP.exists():
        pytest.skip("shared/truth/sweep_h200.json is not here")
    kernels = json.loads(_BINARIES.read_text())["kernels"]
    rows = json.loads(_SWEEP.read_text())["rows"]
    found = []
    for row in rows:
        block, layout = (row["XB"], row["YB"]), _layout(row["layout"])
        cost = kernel_cost(
            copy_work(block, layout, *kernels[row["name"]]), copy_accesses(row["mem"], block, layout)
        )
        found.append(((row["mem"], *block), row["ms"], cost.seconds * 1e3))
    return found


def _times():
    return np.array([m for _, m, _ in _sweep()]), np.array([p for *_, p in _sweep()])


def _spearman(left, right) -> float:
    ranks = [np.argsort(np.argsort(values)).astype(float) for values in (left, right)]
    return float(np.corrcoef(*ranks)[0, 1])


def test_the_order_of_the_sweep():
    measured, predicted = _times()
    assert _spearman(measured, predicted) >= 0.95


def test_the_times_of_the_sweep():
    measured, predicted = _times()
    assert np.median(np.abs(predicted / measured - 1)) <= 0.12


def test_the_first_layout_of_each_group_is_among_the_fastest():
    groups: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
    for key, measured, predicted in _sweep():
        groups.setdefault(key, []).append((predicted, measured))
    assert len(groups) == 9
    for key, rows in groups.items():
        assert min(rows)[1] <= 1.05 * min(measured for _, measured in rows), key


def test_other_shapes_types_and_warp_counts():
    rows = json.loads(_OWN.read_text())["rows"]
    measured, predicted = [], []
    for row in rows:
        block, shape = (row["XB"], row["YB"]), tuple(row["shape"])
        size = 4 if row["dtype"] == "float32" else 2
        accesses = copy_accesses(row["mem"], block, row["layout"], shape, size)
        facts = (row["registers"], row["spill_bytes"], row["instructions"])
        cost = kernel_cost(copy_work(block, row["layout"], *facts, shape), accesses)
        measured.append(row["ms"])
        predicted.append(cost.seconds * 1e3)
    assert _spearman(measured, predicted) >= 0.92
    assert np.median(np.abs(np.array(predicted) / np.array(measured) - 1)) <= 0.15
