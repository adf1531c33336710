"""Scalars in loops: a loop over elements is warned of, the index of a tile is only noted."""

from dataclasses import replace

from gluon_inspect.analyses.scalar_access import run
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.report import Programs
from tests.analyses.facts import NOTHING

INDEX = Access("g0", "tt.load", Space.GLOBAL, Direction.LOAD, None, element_bits=64, executions=640)
TILE = Access("g1", "tt.load", Space.GLOBAL, Direction.LOAD, None, shape=(128,), executions=640)
ONCE = replace(TILE, executions=64)


def severities(*accesses):
    return [
        each.severity.value
        for each in run(replace(NOTHING, programs=Programs(64, 64), accesses=accesses)).findings
    ]


def test_an_index_beside_a_tile_is_noted():
    assert severities(INDEX, TILE) == ["note"]


def test_a_loop_over_elements_is_warned_of():
    assert severities(INDEX) == severities(INDEX, ONCE) == ["warning"]
    assert severities(replace(INDEX, executions=64)) == []


def test_what_a_loop_over_elements_loses_is_all_but_its_bytes():
    parts = {Resource.DRAM: 1e-6, Resource.LATENCY: 2e-5}
    cost = KernelCost(2e-5, Resource.LATENCY, parts, (), Confidence.EXACT, ModelStatus.VALIDATED)
    (found,) = run(replace(NOTHING, programs=Programs(64, 64), accesses=(INDEX,), cost=cost)).findings
    assert found.cost == 0.95
    (beside,) = run(replace(NOTHING, programs=Programs(64, 64), accesses=(INDEX, TILE), cost=cost)).findings
    assert beside.cost is None
