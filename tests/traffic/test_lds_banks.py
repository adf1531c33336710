import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect import targets
from gluon_inspect.targets.lds import LdsKind, lds_rule
from gluon_inspect.traffic.shared.amd.banks import lds_cost

MI300, MI350 = targets.find("gfx942"), targets.find("gfx950")


def conflicts(target, bits, stride_bytes, kind=LdsKind.READ):
    lanes = np.arange(target.warp_size, dtype=np.int64)[None, :] * stride_bytes
    cost = lds_cost(lanes, bits, lds_rule(target, bits, kind))
    return cost.total - cost.total_ideal


@pytest.mark.parametrize(
    ("bits", "counted"),
    [
        (32, {4: 0, 8: 128, 16: 384, 32: 896, 64: 1920, 128: 3968, 256: 3968, 512: 3968}),
        (64, {8: 0, 16: 256, 32: 768, 64: 1792, 128: 3840, 256: 3840, 512: 3840}),
        (128, {16: 0, 32: 512, 64: 1536, 128: 3584, 256: 3584, 512: 3584}),
    ],
)
def test_conflicts_that_the_profiler_counted_on_an_mi300x(bits, counted):
    """Bank conflicts of a block of 64 reads by stride (AMD Shark AI, docs/empirical-lds/cdna3info.md)."""
    assert {stride: 64 * conflicts(MI300, bits, stride) for stride in counted} == counted


def test_the_pattern_of_an_mi350_repeats_after_256_bytes():
    """Its measured latencies saturate at a stride of 256 bytes: 64 banks."""
    found = [conflicts(MI350, 64, stride) for stride in (8, 16, 32, 64, 128, 256, 512)]
    assert found == [0, 2, 6, 14, 30, 62, 62]


def test_rows_that_128_bit_reads_of_an_mi300_tolerate():
    """Eight neighbouring lanes in one bank quad conflict, eight lanes of a group that spread do not."""
    group = np.array(lds_rule(MI300, 128).groups[0])
    spread = np.zeros((1, 64), dtype=np.int64)
    spread[0, group] = np.arange(8) * 16
    active = np.zeros((1, 64), dtype=bool)
    active[0, group] = True
    assert lds_cost(spread, 128, lds_rule(MI300, 128), active).total == 1
    assert lds_cost(spread * 8, 128, lds_rule(MI300, 128), active).total == 8


def test_two_address_reads_conflict_where_plain_ones_do_not():
    stride = np.arange(64, dtype=np.int64)[None, :]
    rows = (stride % 16) * 8 + (stride // 16) * 128
    assert lds_cost(rows, 64, lds_rule(MI350, 64)).total == 2
    assert lds_cost(rows, 64, lds_rule(MI350, 64, LdsKind.READ2)).total == 4


@given(st.integers(0, 2**31), st.sampled_from((32, 64, 128)))
def test_a_shift_of_all_addresses_by_a_row_of_banks_changes_nothing(seed, bits):
    rng = np.random.default_rng(seed)
    addresses = rng.integers(0, 1024, (3, 64)) * (bits // 8)
    rule = lds_rule(MI350, bits)
    assert lds_cost(addresses, bits, rule).total == lds_cost(addresses + 256, bits, rule).total


@given(st.integers(0, 2**31), st.sampled_from((16, 32, 64, 128)))
def test_never_below_the_ideal_and_never_above_one_lane_a_cycle(seed, bits):
    rng = np.random.default_rng(seed)
    addresses, active = rng.integers(0, 512, (4, 64)) * (bits // 8), rng.random((4, 64)) < 0.7
    cost = lds_cost(addresses, bits, lds_rule(MI300, bits), active)
    assert (cost.ideal <= cost.wavefronts).all()
    assert (cost.wavefronts <= active.sum(axis=1) * max(bits // 32, 1)).all()


def test_no_active_lane_no_cost():
    nothing = np.zeros((1, 64), dtype=bool)
    assert lds_cost(np.zeros((1, 64), dtype=np.int64), 128, lds_rule(MI300, 128), nothing).total == 0
