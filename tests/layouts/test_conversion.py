import importlib.util
from random import Random

import numpy as np
import pytest
from hypothesis import example, given

from gluon_inspect.layouts.algebra import without_copies
from gluon_inspect.layouts.conversion import conversion_kind, must_exchange
from gluon_inspect.layouts.gluon_syntax import read_layout, write_layout
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import ConversionKind
from gluon_inspect.model.encodings import LinearEncoding
from gluon_inspect.model.versions import NEWEST
from tests.layouts.generate import blocked_encoding
from tests.layouts.oracle import Oracle
from tests.layouts.strategies import onto

needs_triton = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")

ROWS = "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])"


def kind(one, other, shape):
    return conversion_kind(*(linear_layout(read_layout(text), shape) for text in (one, other)), NEWEST)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (ROWS, ConversionKind.TRIVIAL),
        ("BlockedLayout([1, 2], [8, 4], [4, 1], [1, 0])", ConversionKind.SHUFFLE),
        ("BlockedLayout([4, 1], [8, 4], [4, 1], [0, 1])", ConversionKind.SHARED),
        ("BlockedLayout([1, 4], [8, 4], [1, 4], [1, 0])", ConversionKind.SHARED),
    ],
)
def test_kinds_of_conversions_from_rows(other, expected):
    assert kind(ROWS, other, (32, 32)) == expected


def test_registers_in_another_order_stay_in_their_thread():
    rows = "DistributedLinearLayout([[1], [2]], [[4], [8], [16], [32], [64]], [], [], [128])"
    back = "DistributedLinearLayout([[2], [1]], [[4], [8], [16], [32], [64]], [], [], [128])"
    assert kind(rows, back, (128,)) == ConversionKind.REGISTER


def test_ctas_that_change_place_exchange_through_the_cluster():
    one = "BlockedLayout([1, 1], [4, 8], [4, 1], [1, 0], cga_layout=[[1, 0]])"
    two = "BlockedLayout([1, 1], [4, 8], [4, 1], [1, 0], cga_layout=[[0, 1]])"
    assert kind(one, two, (64, 64)) == ConversionKind.CLUSTER
    layouts = (linear_layout(read_layout(text), (64, 64)) for text in (one, two))
    assert "block" in must_exchange(*layouts)


def test_a_warp_reads_its_own_copy_where_warps_hold_copies():
    source = "BlockedLayout([1, 2], [8, 4], [2, 1], [1, 0])"
    target = "BlockedLayout([1, 2], [16, 2], [1, 2], [1, 0])"
    assert kind(source, target, (2, 8)) == ConversionKind.SHUFFLE


@given(onto((4, 8)))
def test_nothing_moves_to_where_it_is(layout):
    assert conversion_kind(layout, layout, NEWEST) == ConversionKind.TRIVIAL
    assert must_exchange(layout, layout) == frozenset()


@given(onto((4, 8)), onto((4, 8)))
def test_registers_suffice_only_where_every_thread_has_what_it_needs(source, target):
    if conversion_kind(source, target, NEWEST) not in (ConversionKind.TRIVIAL, ConversionKind.REGISTER):
        return
    have, want = without_copies(source).coordinates(), target.coordinates()
    for lane in range(want.shape[1]):
        for warp in range(want.shape[2]):
            assert set(want[:, lane, warp]) <= set(have[:, lane, warp])


_LANES = ((1, 0), (2, 0), (0, 1), (0, 2), (0, 4))


@example(
    # the second warp holds a copy in both, of neighbouring columns in the first layout
    LinearLayout({"register": (), "lane": _LANES, "warp": ((0, 1),)}, (4, 8)),
    LinearLayout({"register": (), "lane": _LANES, "warp": ((0, 0),)}, (4, 8)),
)
@given(onto((4, 8)), onto((4, 8)))
def test_who_need_not_exchange_has_what_it_needs(source, target):
    moving = must_exchange(source, target)
    have, want = source.coordinates(), target.coordinates()
    if "warp" not in moving:
        for warp in range(want.shape[2]):
            assert set(want[:, :, warp].flat) <= set(have[:, :, warp].flat)
    if not moving & {"lane", "warp"}:
        for lane, warp in np.ndindex(want.shape[1:]):
            assert set(want[:, lane, warp]) <= set(have[:, lane, warp])


def linear_pair(rng: Random, shape: tuple[int, ...], warp_bits: int) -> list[LinearEncoding]:
    rank = len(shape)
    units = [
        tuple(1 << bit if d == dim else 0 for d in range(rank))
        for dim in range(rank)
        for bit in range(shape[dim].bit_length() - 1)
    ]

    def deal() -> LinearEncoding:
        left = rng.sample(units, len(units))

        def take(count: int):
            return tuple(left.pop() if left and rng.random() < 0.75 else (0,) * rank for _ in range(count))

        lanes, warps = take(5), take(warp_bits)
        return LinearEncoding(tuple(left), lanes, warps, ())

    one = deal()
    if rng.random() < 0.5:
        return [one, deal()]
    mixed = list(one.register + one.lane)
    rng.shuffle(mixed)
    return [one, LinearEncoding(tuple(mixed[5:]), tuple(mixed[:5]), one.warp, ())]


@needs_triton
def test_kinds_equal_tritons():
    rng, oracle, seen = Random(5), Oracle(), set[str]()
    for _ in range(150):
        rank, warps = rng.choice((1, 2, 2, 3)), rng.choice((1, 2, 4))
        shape = tuple(1 << rng.randint(1, 6) for _ in range(rank))
        pair = linear_pair(rng, shape, warps.bit_length() - 1)
        if rng.random() < 0.5:
            pair = [blocked_encoding(rng, rank, lanes=32, warps=warps, cluster=False) for _ in range(2)]
        one, other = (linear_layout(encoding, shape) for encoding in pair)
        texts = [write_layout(encoding, shape) for encoding in pair]
        theirs = oracle.conversion(*texts, shape, num_warps=warps, num_ctas=1, threads_per_warp=32)
        ours = conversion_kind(one, other, NEWEST)
        assert (ours == ConversionKind.SHARED) == (theirs["scratch"] is not None), (texts, shape)
        free = ours in (ConversionKind.TRIVIAL, ConversionKind.REGISTER)
        assert free == theirs["trivial"], (texts, shape)
        seen.add(ours)
    oracle.close()
    assert {ConversionKind.SHUFFLE, ConversionKind.SHARED} <= seen
