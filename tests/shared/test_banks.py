"""Wavefronts against a simulator that walks one lane at a time, and known patterns of the hardware."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.traffic.shared.collisions import degree, worst_phase
from gluon_inspect.traffic.shared.nvidia.async_copy import copy_cost
from gluon_inspect.traffic.shared.nvidia.banks import access_cost, matrix_cost
from gluon_inspect.traffic.shared.transfer import Transfer


def busiest(lanes, width):
    """Distinct words of the busiest bank, for (address) of the lanes served together."""
    banks = {}
    for address in lanes:
        for word in range(address // 4, address // 4 + max(width // 4, 1)):
            banks.setdefault(word % 32, set()).add(word)
    return max((len(words) for words in banks.values()), default=0)


def neighbours_agree(lanes):
    """`lanes`: address or None; whether active ones agree with their neighbours at distance 1, or at 2."""
    return any(all(a is None or lanes[i ^ step] in (None, a) for i, a in enumerate(lanes)) for step in (1, 2))


def simulate(lanes, width, store):
    """Wavefronts of one request; `lanes` holds 32 byte addresses or None for inactive ones."""
    phases = max(1, width // 4)
    size = 32 // phases
    costs = [busiest([a for a in lanes[i : i + size] if a is not None], width) for i in range(0, 32, size)]
    if phases == 1 or store:
        return sum(costs)
    total = 0
    for i in range(0, phases, 2):
        pair = lanes[i * size : (i + 2) * size]
        together = busiest([a for a in pair if a is not None], width)
        merged = together == 1 and neighbours_agree(pair)
        total += 1 if merged else costs[i] + costs[i + 1]
    return total


@st.composite
def requests(draw):
    width = draw(st.sampled_from([1, 2, 4, 8, 16]))
    repeat = draw(st.sampled_from([1, 2, 4]))
    units = draw(st.lists(st.integers(0, 127), min_size=32, max_size=32))
    lanes = [units[i // repeat * repeat] * width for i in range(32)]
    mask = draw(st.one_of(st.just([True] * 32), st.lists(st.booleans(), min_size=32, max_size=32)))
    return lanes, mask, width, draw(st.booleans())


@given(requests())
def test_every_request_as_lane_by_lane(request):
    lanes, mask, width, store = request
    cost = access_cost(np.array([lanes]), width * 8, np.array([mask]), store=store)
    wanted = [a if on else None for a, on in zip(lanes, mask, strict=True)]
    assert cost.total == simulate(wanted, width, store)
    assert cost.total_ideal <= cost.total
    assert cost.total_ideal == min(cost.total, -(-sum(mask) * width // 128))


@pytest.mark.parametrize(
    ("stride", "width", "store", "wavefronts"),
    [
        (4, 4, False, 1),
        (8, 4, False, 2),
        (128, 4, False, 32),
        (132, 4, False, 1),
        (2, 2, False, 1),
        (0, 4, True, 1),
        (8, 8, False, 2),
        (16, 16, True, 4),
        (256, 16, False, 32),
        (272, 16, False, 4),
    ],
)
def test_lanes_at_a_stride(stride, width, store, wavefronts):
    cost = access_cost(np.arange(32)[None, :] * stride, width * 8, store=store)
    assert cost.total == wavefronts


def test_a_wide_load_of_one_address_is_one_wavefront_a_pair_of_phases_and_a_store_is_not():
    same = np.zeros((1, 32), dtype=np.int64)
    assert access_cost(same, 64).total == 1
    assert access_cost(same, 128).total == 2
    assert access_cost(same, 64, store=True).total == 2
    assert access_cost(same, 128, store=True).total == 4


def test_matrices_cost_a_phase_each_and_one_more_for_each_row_in_the_same_banks():
    rows = np.arange(32)[None, :] * 16
    assert matrix_cost(rows).total == 4
    assert matrix_cost(rows * 8).total == 32
    assert matrix_cost(rows * 9).total == 4


def test_copies_through_l1_wait_for_both_memories():
    lanes = np.arange(32, dtype=np.int64)[None, :]
    everyone = np.ones((1, 32), dtype=np.bool_)
    assert copy_cost(lanes * 4, lanes * 4, everyone, 4).total == 1
    assert copy_cost(lanes * 4, lanes * 8, everyone, 4).total == 2
    assert copy_cost(lanes * 8, lanes * 4, everyone, 4).total == 2
    assert copy_cost(lanes * 128, lanes * 4, everyone, 4).total == 32


def test_a_wide_copy_pays_for_each_global_line_of_a_quarter_warp():
    lanes = np.arange(32, dtype=np.int64)[None, :]
    everyone = np.ones((1, 32), dtype=np.bool_)
    assert copy_cost(lanes * 16, lanes * 16, everyone, 16).total == 4
    # eight lanes a row, rows 320 bytes apart: every other row lies in two lines (counted on an H200)
    rows = lanes // 8 * 320 + lanes % 8 * 16
    assert copy_cost(lanes * 16, rows, everyone, 16).total == 6


@given(requests())
def test_the_collisions_shown_are_the_cost_of_their_phase(request):
    lanes, _, width, _ = request
    transfer = Transfer("STS", width * 8, np.array([[lanes]]))
    found = worst_phase(transfer)
    if transfer.cost().total == transfer.cost().total_ideal:
        assert found == ()
        assert degree(transfer) == 1
        return
    for collision in found:
        for at, holders in collision.words:
            assert at // 4 % 32 == collision.bank
            for lane in holders:
                assert at in range(lanes[lane] // 4 * 4, lanes[lane] + max(width, 4), 4)
    assert [c.degree for c in found] == sorted((c.degree for c in found), reverse=True)
