"""Laws of the cost model: what must hold whatever the constants are."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.cost.model import Work, kernel_cost, known_seconds
from gluon_inspect.cost.rates import rates_of
from gluon_inspect.cost.times import together
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import Resource
from gluon_inspect.targets import ALL
from gluon_inspect.targets.nvidia import SM_80, SM_90
from gluon_inspect.wording.times import time_with_band
from tests.cost.copies import copy_accesses, copy_work

_COALESCED = ([1, 4], [1, 32], [4, 1], [1, 0])
_TRANSPOSED = ([1, 1], [32, 1], [1, 4], [0, 1])
_BLOCK = (64, 64)


def _cost(layout, mem="rm", **changes):
    work = replace(copy_work(_BLOCK, layout, 48, 0, 150), **changes)
    return kernel_cost(work, copy_accesses(mem, _BLOCK, layout))


def _plain(sectors, direction=Direction.LOAD, lines=None, requests=1 << 20) -> Access:
    return Access(
        id="a",
        op="tt.load",
        space=Space.GLOBAL,
        direction=direction,
        location=None,
        requests=requests,
        sectors=sectors,
        sectors_ideal=4 * requests,
        lines=lines if lines is not None else max(requests, sectors // 4),
        executions=1 << 16,
        confidence=Confidence.EXACT,
    )


_WORK = Work(SM_90, 1 << 16, 4, occupancy(SM_90, 32, 0, 4), 100)


@pytest.mark.parametrize("direction", [Direction.LOAD, Direction.STORE])
@given(few=st.integers(4, 32), more=st.integers(0, 28))
def test_more_sectors_never_cost_less(direction, few, more):
    requests = 1 << 20
    first = kernel_cost(_WORK, [_plain(few * requests, direction)])
    second = kernel_cost(_WORK, [_plain(min(32, few + more) * requests, direction)])
    assert second.seconds >= first.seconds * (1 - 1e-9)


@given(few=st.integers(1, 32), more=st.integers(0, 31))
def test_more_lines_never_cost_less(few, more):
    requests = 1 << 20
    first = kernel_cost(_WORK, [_plain(32 * requests, lines=few * requests)])
    second = kernel_cost(_WORK, [_plain(32 * requests, lines=min(32, few + more) * requests)])
    assert second.seconds >= first.seconds * (1 - 1e-9)


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=6), st.floats(1, 8))
def test_overlapping_work_takes_between_the_largest_and_the_sum(times, exponent):
    found = together(times, exponent)
    assert max(times) * (1 - 1e-9) <= found <= sum(times) * (1 + 1e-9)


def test_a_time_that_leaves_an_access_out_is_a_lower_bound_and_says_so() -> None:
    whole = kernel_cost(_WORK, [_plain(4 << 20)])
    part = kernel_cost(_WORK, [_plain(4 << 20), replace(_plain(0), id="g1", sectors=None, requests=None)])
    assert whole is not None
    assert part is not None
    assert (whole.is_lower_bound, part.is_lower_bound, part.band) == (False, True, None)
    assert time_with_band(part) == f"at least {time_with_band(whole)}"
    assert "left out, their traffic is not known: g1" in part.assumed


def test_never_faster_than_the_data_sheet():
    moved = 2 * (1 << 30)
    assert _cost(_COALESCED).seconds > moved / SM_90.dram_bytes_per_second


def test_a_coalesced_copy_waits_for_dram_and_loses_little():
    cost = _cost(_COALESCED)
    assert cost.limiting is Resource.DRAM
    assert all(cost.lost_fraction(name) < 0.06 for name in ("load", "store"))


def test_a_transposed_copy_loses_most_by_its_stores():
    cost = _cost(_TRANSPOSED)
    assert cost.limiting in (Resource.L2_PATH, Resource.L2_REQUESTS)
    assert cost.lost_fraction("store") > 0.6
    assert cost.lost_fraction("store") > cost.lost_fraction("load")
    assert cost.seconds > 5 * _cost(_COALESCED).seconds


def test_the_mirror_image_costs_about_the_same():
    mirrored = (*(list(reversed(part)) for part in _TRANSPOSED[:3]), [1, 0])
    assert _cost(mirrored, "cm").seconds == pytest.approx(_cost(_TRANSPOSED).seconds, rel=0.25)


def test_spills_cost():
    assert _cost(_COALESCED, spill_bytes=3000).seconds > 2 * _cost(_COALESCED).seconds


def test_few_programs_in_flight_are_limited_by_latency():
    few = occupancy(SM_90, 32, 200 * 1024, 4)
    cost = _cost(_COALESCED, occupancy=few)
    assert cost.limiting is Resource.LATENCY
    assert cost.seconds > _cost(_COALESCED).seconds


def test_a_launch_of_one_program_takes_a_latency_at_least():
    cost = kernel_cost(replace(_WORK, programs=1), [replace(_plain(128, requests=32), executions=1)])
    assert 1e-6 < cost.seconds < 2e-5


def test_shared_memory_wavefronts_add_to_the_l1():
    shared = Access("s", "x", Space.SHARED, Direction.STORE, None, wavefronts=1 << 29, wavefronts_ideal=1 << 24)
    load = _plain(4 << 20)
    cost = kernel_cost(_WORK, [load, shared])
    assert cost.limiting is Resource.SHARED
    assert cost.lost_fraction("s") > 0.5
    assert cost.parts[Resource.SHARED] == pytest.approx((1 << 29) / SM_90.sms / SM_90.clock_hz)


def test_unknown_traffic_is_said_and_not_counted_as_nothing():
    unknown = replace(_plain(4), id="u", sectors=None, lines=None)
    cost = kernel_cost(_WORK, [_plain(4 << 20), unknown])
    assert any("u" in note.split(": ")[-1] for note in cost.assumed)
    assert cost.confidence is Confidence.ASSUMED
    assert cost.lost_fraction("u") is None


def test_nothing_known_is_none():
    assert kernel_cost(_WORK, [replace(_plain(4), sectors=None, lines=None)]) is None
    assert kernel_cost(_WORK, []) is None


@given(st.integers(0, 32), st.integers(1, 1 << 20), st.sampled_from(ALL))
def test_candidates_are_ranked_by_the_time_that_is_reported(programs, sectors, target):
    work, accesses = replace(_WORK, target=target, programs=programs), [_plain(sectors), _plain(4 << 20)]
    cost = kernel_cost(work, accesses)
    assert known_seconds(work, accesses) == (None if cost is None else cost.seconds)
    assert known_seconds(work, []) is None


def test_missing_occupancy_and_instructions_are_assumed_aloud():
    cost = kernel_cost(replace(_WORK, occupancy=None, instructions=None), [_plain(4 << 20)])
    assert len(cost.assumed) >= 2
    assert cost.confidence is Confidence.ASSUMED


def test_only_the_h200_is_validated():
    assert rates_of(SM_90).status is ModelStatus.VALIDATED
    assert all(rates_of(t).status is ModelStatus.UNVALIDATED for t in ALL if t.name != SM_90.name)
    assert kernel_cost(replace(_WORK, target=SM_80), [_plain(4 << 20)]).model is ModelStatus.UNVALIDATED


def test_every_target_gives_a_time_and_a_slower_card_a_longer_one():
    accesses = copy_accesses("rm", _BLOCK, _COALESCED)
    times = {t.name: kernel_cost(replace(_WORK, target=t), accesses).seconds for t in ALL}
    assert all(0 < seconds < 1 for seconds in times.values())
    assert times["cuda:80"] > times["cuda:90"]


def test_every_rate_has_a_source():
    rates = rates_of(SM_90)
    assert set(rates.sources) == set(rates.__slots__) - {"status", "sources"}


def test_a_call_takes_well_under_a_millisecond():
    work, accesses = copy_work(_BLOCK, _COALESCED, 48, 0, 150), copy_accesses("rm", _BLOCK, _COALESCED)
    kernel_cost(work, accesses)
    times = []
    for _ in range(50):
        start = time.process_time()
        kernel_cost(work, accesses)
        times.append(time.process_time() - start)
    assert min(times) < 1e-3
