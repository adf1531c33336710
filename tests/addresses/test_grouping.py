"""Grouping of equal rows, against a dictionary; and samples of programs."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.addresses.grouping import grouped
from gluon_inspect.addresses.launch import _chosen

small, wide = st.integers(-3, 3), st.integers(-(1 << 40), 1 << 40)


@given(st.lists(st.tuples(small, small), max_size=40) | st.lists(st.tuples(wide, wide, wide), max_size=20))
def test_groups_are_the_distinct_rows_with_their_counts(rows):
    if not rows:
        return
    columns = [np.array(column, np.int64) for column in zip(*rows)]
    found = grouped(columns)
    listed = list(zip(*(column.tolist() for column in found.columns)))
    assert listed == sorted(set(rows))
    assert dict(zip(listed, found.counts.tolist())) == Counter(rows)
    assert [listed[i] for i in found.inverse] == rows


def test_nothing_has_no_groups():
    found = grouped([np.zeros(0, np.int64)])
    assert len(found.counts) == len(found.inverse) == 0


def test_a_sample_has_the_ends_and_neighbours():
    chosen = _chosen(1 << 20, 1 << 14)
    assert len(chosen) == len(set(chosen.tolist())) == 1 << 14
    assert chosen[0] == 0
    assert chosen[-1] == (1 << 20) - 1
    assert (np.diff(chosen[:1024]) == 1).all()


def test_few_programs_are_all_taken():
    assert _chosen(7, None).tolist() == list(range(7))
    assert _chosen(7, 100).tolist() == list(range(7))
