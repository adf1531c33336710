"""The cost model alone against 497 timed copies between memory orders that convert the layout in between.

No rate was fitted to these times, and none of the layouts' pairs was timed before.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from gluon_inspect.cost.model import known_seconds
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.encodings import BlockedEncoding
from gluon_inspect.model.versions import NEWEST
from gluon_inspect.targets.nvidia import SM_90
from gluon_inspect.traffic.shared.lowering import lower_conversion
from gluon_inspect.traffic.shared.steps import add_up
from tests.cost.copies import copy_accesses, copy_work
from tests.cost.test_times_of_copies import _estimated

_TIMES = Path(__file__).parents[2] / "benchmarks" / "results" / "explain_h200_2026-11-30.json"
_TILES = ("64x64", "16x256", "256x16")


@lru_cache
def _side(block, layout):
    return copy_accesses("rm2cm", block, layout), linear_layout(BlockedEncoding(*layout), block)


def _milliseconds(block, layout, layout_out) -> float:
    (load, _), source = _side(block, layout)
    (_, store), result = _side(block, layout_out)
    lowering = lower_conversion(source, result, 32, SM_90, NEWEST)
    registers = max(_estimated(block, each, "rm2cm") for each in (layout, layout_out))
    work = replace(
        copy_work(block, layout, registers, 0, None),
        occupancy=occupancy(SM_90, registers, lowering.scratch_bytes, 4),
        shared_bytes=lowering.scratch_bytes,
        barriers=lowering.barriers,
    )
    moved = [_moved(step, work.programs) for step in lowering.steps]
    return known_seconds(work, (load, store, *moved)) * 1e3


def _moved(step, programs) -> Access:
    found = add_up((step,))
    return Access(
        id=str(id(step)),
        op="ttg.convert_layout",
        space=Space.SHARED,
        direction=Direction.STORE if step.store else Direction.LOAD,
        location=None,
        requests=found.requests * programs,
        wavefronts=found.wavefronts * programs,
        wavefronts_ideal=found.wavefronts_ideal * programs,
        executions=programs,
        confidence=Confidence.EXACT,
    )


def _frozen(layout):
    return tuple(map(tuple, layout))


@lru_cache
def _rows(tile):
    """Measured and predicted milliseconds."""
    block = tuple(map(int, tile.split("x")))
    rows = json.loads(_TIMES.read_text())["rows"]
    listed = [row for row in rows if row["name"].startswith(f"rm2cm_{tile} ") and "layout_out" in row]
    times = [
        (row["ms"], _milliseconds(block, _frozen(row["layout"]), _frozen(row["layout_out"]))) for row in listed
    ]
    return np.array(times).T


@pytest.mark.parametrize("tile", _TILES)
def test_the_pair_put_first_is_within_3_percent_of_the_best(tile):
    measured, predicted = _rows(tile)
    assert len(measured) > 100
    assert measured[predicted.argmin()] * 0.97 <= measured.min()


@pytest.mark.parametrize("tile", _TILES)
def test_the_times_of_conversions(tile):
    measured, predicted = _rows(tile)
    assert np.median(np.abs(predicted / measured - 1)) <= 0.05
