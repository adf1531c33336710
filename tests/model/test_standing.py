"""Shares of the expected time by instruction, summed over lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource, Stall, Standing, dominant
from gluon_inspect.model.location import Location
from gluon_inspect.wording.times import by_place


def _cost(*standing: Standing) -> KernelCost:
    parts = {Resource.DRAM: 1e-6}
    return KernelCost(1e-6, Resource.DRAM, parts, (), Confidence.SAMPLED, ModelStatus.VALIDATED, standing=standing)


def _at(index: int, line: int | None, **stalls: float) -> Standing:
    location = None if line is None else Location("k.py", line)
    found = {Stall[name]: share for name, share in stalls.items()}
    return Standing(index, f"I{index}", location, sum(found.values()), found, text_line=index + 1)


def test_a_line_has_the_shares_of_its_instructions_and_the_longest_comes_first() -> None:
    cost = _cost(_at(0, 7, WAIT=0.1), _at(1, 8, LONG_SCOREBOARD=0.5), _at(2, 7, WAIT=0.1, MATH=0.25))
    first, second = cost.standing_by_line()
    assert (first.location, first.share, first.dominant) == (Location("k.py", 8), 0.5, Stall.LONG_SCOREBOARD)
    assert (second.share, second.stalls) == (pytest.approx(0.45), {Stall.WAIT: 0.2, Stall.MATH: 0.25})
    assert second.dominant is Stall.MATH


def test_instructions_without_a_line_are_one_entry_by_line_and_one_each_by_place() -> None:
    cost = _cost(_at(0, None, WAIT=0.2), _at(1, None, MATH=0.3), _at(2, 9, MIO=0.4))
    assert [(line.location, round(line.share, 6)) for line in cost.standing_by_line()] == [
        (None, 0.5),
        (Location("k.py", 9), 0.4),
    ]
    assert [place.name for place in by_place(cost)] == ["line 9", "I1", "I0"]


_STANDING = st.tuples(
    st.none() | st.integers(1, 5), st.dictionaries(st.sampled_from(Stall), st.floats(0.01, 1.0), min_size=1)
)


@given(st.lists(_STANDING, max_size=8))
def test_lines_lose_nothing_of_any_stall(found: list[tuple[int | None, dict[Stall, float]]]) -> None:
    every = [
        Standing(at, "", None if line is None else Location("k.py", line), sum(stalls.values()), stalls)
        for at, (line, stalls) in enumerate(found)
    ]
    lines = _cost(*every).standing_by_line()
    for stall in Stall:
        by_line = sum(line.stalls.get(stall, 0.0) for line in lines)
        assert by_line == pytest.approx(sum(each.stalls.get(stall, 0.0) for each in every))
    assert all(line.share == pytest.approx(sum(line.stalls.values())) for line in lines)


def test_nothing_is_dominant_where_nothing_stands() -> None:
    assert dominant({}) is None
