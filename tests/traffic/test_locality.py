"""Which contiguous pieces of memory programs touch, alone and together."""

import numpy as np

from gluon_inspect.traffic.global_memory.locality import runs

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
