"""The register estimate against what ptxas gave the timed copies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gluon_inspect.axis.vector import contiguous_registers, fastest_dim
from gluon_inspect.cost.registers import estimated_registers
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import BlockedEncoding

_OWN = Path(__file__).parents[2] / "benchmarks" / "results" / "copy_layouts_h200_2026-11-29.json"


def _estimated(row) -> int:
    size = 4 if row["dtype"] == "float32" else 2
    linear = linear_layout(BlockedEncoding(*map(tuple, row["layout"])), (row["XB"], row["YB"]))
    elements = 1 << sum(1 for basis in linear.flat_bases("register") if basis)
    dim = fastest_dim(linear)
    wide = min(contiguous_registers(linear, dim), 16 // size)
    vectors = [wide if dim == contiguous else 1 for contiguous in _contiguous(row["mem"])]
    words = elements * size // 4 if min(vectors) * size >= 4 else elements
    return estimated_registers(words, sum(elements // vector for vector in vectors))


def _contiguous(mem):
    return (0 if mem == "cm" else 1, 1 if mem == "rm" else 0)


def test_four_fifths_are_within_twelve_registers():
    rows = [row for row in json.loads(_OWN.read_text())["rows"] if not row["spill_bytes"]]
    errors = np.array([_estimated(row) - row["registers"] for row in rows])
    assert np.mean(np.abs(errors) <= 12) >= 0.7
    assert abs(np.median(errors)) <= 4


@pytest.mark.parametrize(("words", "instructions"), [(32, 16), (64, 128)])
def test_more_data_and_more_instructions_take_more_registers(words, instructions):
    least = estimated_registers(words, instructions)
    assert estimated_registers(2 * words, instructions) >= least + words
    assert estimated_registers(words, 4 * instructions) > least > words
