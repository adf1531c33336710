"""Programs that start more slowly than they work: priced by what is left when each does more."""

from dataclasses import replace

import pytest

from gluon_inspect.analyses.small_programs import run
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.report import Programs
from tests.analyses.facts import NOTHING


def found(programs, starts, dram, seconds=None):
    parts = {Resource.STARTS: starts, Resource.DRAM: dram}
    limiting = max(parts, key=lambda name: parts[name])
    total = seconds or max(parts.values())
    cost = KernelCost(total, limiting, parts, (), Confidence.EXACT, ModelStatus.VALIDATED)
    return run(replace(NOTHING, programs=Programs(programs, programs), cost=cost)).findings


@pytest.mark.parametrize(
    ("programs", "times", "lost"),
    [(1 << 20, 8, 1 - 130 / 800), (132 * 8, 2, 0.5), (132, 2, 0.5)],
)
def test_each_program_takes_as_many_as_bring_the_starts_below_the_work(programs, times, lost):
    (told,) = found(programs, 800e-6, 130e-6)
    assert told.evidence["times"] == times
    assert told.cost == pytest.approx(lost)
    assert f"the work of {times} " in told.help


def test_what_lies_beside_the_longest_part_stays():
    (told,) = found(1 << 20, 800e-6, 130e-6, seconds=900e-6)
    assert told.cost == pytest.approx(1 - 230 / 900)


def test_starts_that_are_not_the_longest_part_are_left_alone():
    assert found(1 << 20, 100e-6, 130e-6) == ()
    assert run(NOTHING).findings == ()
