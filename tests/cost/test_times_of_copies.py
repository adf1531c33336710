"""The cost model against layouts timed on an H200: the shared sweep, and our own other shapes and types."""

from __future__ import annotations

import ast
import json
import re
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from gluon_inspect.axis.vector import contiguous_registers, fastest_dim
from gluon_inspect.cost.model import kernel_cost
from gluon_inspect.cost.registers import estimated_registers
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import BlockedEncoding
from gluon_inspect.targets.nvidia import SM_90
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


def test_without_a_binary_the_first_of_each_group_is_among_the_fastest():
    """As the search for layouts ranks: registers estimated, instructions counted from the accesses."""
    groups: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
    _sweep()
    for row in json.loads(_SWEEP.read_text())["rows"]:
        block, layout = (row["XB"], row["YB"]), _layout(row["layout"])
        accesses = copy_accesses(row["mem"], block, layout)
        registers = _estimated(block, layout, row["mem"])
        spilled = max(0, registers - SM_90.max_registers_per_thread) * 4
        work = copy_work(block, layout, min(registers, SM_90.max_registers_per_thread), spilled, None)
        found = kernel_cost(work, accesses)
        groups.setdefault((row["mem"], *block), []).append((found.seconds, row["ms"]))
    for key, rows in groups.items():
        assert min(rows)[1] <= 1.03 * min(measured for _, measured in rows), key


def _estimated(block, layout, mem) -> int:
    linear = linear_layout(BlockedEncoding(*(tuple(part) for part in layout)), block)
    elements = 1 << sum(1 for basis in linear.flat_bases("register") if basis)
    dim = fastest_dim(linear)
    wide = min(contiguous_registers(linear, dim), 4)
    contiguous = (0 if mem == "cm" else 1, 1 if mem == "rm" else 0)
    return estimated_registers(elements, sum(elements // (wide if dim == along else 1) for along in contiguous))


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
