"""Grids that leave SMs without work: what they lose is the SMs' own part of the time, and nothing of the rest."""

from dataclasses import replace

import pytest

from gluon_inspect.analyses.programs import run
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.loops import LoopRun
from gluon_inspect.model.report import Programs
from tests.analyses.facts import NOTHING

LOOPS = (LoopRun(None, 8, 8),)


def found(programs, latency, dram=0.0, ctas_bytes=200_000, loops=LOOPS):
    parts = {Resource.LATENCY: latency, Resource.DRAM: dram}
    cost = KernelCost(max(latency, dram), Resource.LATENCY, parts, (), Confidence.EXACT, ModelStatus.VALIDATED)
    held = occupancy(NOTHING.target, 32, ctas_bytes, 4)
    facts = replace(NOTHING, programs=Programs(programs, programs), cost=cost, occupancy=held, loops=loops)
    return [(each.severity.value, each.cost) for each in run(facts).findings]


def test_fewer_programs_than_sms_lose_what_the_idle_ones_would_do():
    assert found(33, 1e-3) == [("error", pytest.approx(0.75))]
    assert found(33, 1e-3, dram=6e-4) == [("error", pytest.approx(0.4))]


def test_memory_that_is_full_anyway_loses_nothing():
    assert found(33, 1e-3, dram=1e-3) == []


def test_a_last_wave_that_is_nearly_empty():
    assert found(140, 1e-3) == [("error", pytest.approx(1 - 140 / 264))]
    assert found(260, 1e-3) == []
    assert found(132 * 6 + 1, 1e-3) == []


def test_kernels_that_are_short_or_have_nothing_to_share_out_are_left_alone():
    assert found(33, 1e-5) == found(33, 1e-3, loops=()) == []
