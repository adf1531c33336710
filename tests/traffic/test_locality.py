"""Which contiguous pieces of memory programs touch, alone and together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.traffic.global_memory.locality import runs
from gluon_inspect.traffic.global_memory.meetings import Meetings, distinct

ROW = np.arange(0, 1024, 4)
NOTHING = np.empty(0, np.int64)


def test_a_program_that_is_masked_off_does_not_count():
    bases = np.arange(4) * 1024
    alone = runs(bases[1:], (ROW,), np.zeros(3, np.int64), 32)
    assert runs(bases, (NOTHING, ROW), np.array([0, 1, 1, 1]), 32) == alone
    assert alone is not None
    assert (alone.program, alone.resident, alone.distinct) == (1024, 3072, 1)


def test_programs_that_are_all_masked_off_touch_nothing():
    assert runs(np.zeros(2, np.int64), (NOTHING,), np.zeros(2, np.int64), 32) is None


@given(
    st.lists(st.tuples(st.integers(0, 4096), st.integers(0, 1)), max_size=12),
    st.lists(st.integers(0, 300), min_size=1, max_size=9),
    st.integers(0, 12),
)
def test_sectors_of_the_first_instances_are_those_of_all_their_bytes(placed, footprint, instances):
    found = Meetings()
    footprints = {0: np.unique(footprint), 1: np.array([5, 64])}
    bases, which = (np.array([each[at] for each in placed], np.int64) for at in (0, 1))
    found.start(bases, which, footprints)
    told = sorted({(base + byte) // 32 for base, kind in placed[:instances] for byte in footprints[kind].tolist()})
    assert found.first_sectors(instances, 32).tolist() == told


@given(st.lists(st.lists(st.integers(-5, 40))))
def test_distinct_is_sorted_and_holds_each_once(values):
    found = distinct([np.array(sorted(each), np.int64) for each in values])
    assert found.tolist() == sorted({value for each in values for value in each})
