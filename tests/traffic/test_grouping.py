"""Grouping of equal rows, against a dictionary; and samples of programs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.evaluate.batches import chosen_programs
from gluon_inspect.evaluate.grouping import grouped
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.artifact import Launch
from gluon_inspect.targets import find
from gluon_inspect.traffic.launch import evaluate_launch

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
    chosen = chosen_programs(1 << 20, 1 << 14)
    assert len(chosen) == len(set(chosen.tolist())) == 1 << 14
    assert chosen[0] == 0
    assert chosen[-1] == (1 << 20) - 1
    assert (np.diff(chosen[:1024]) == 1).all()


def test_few_programs_are_all_taken():
    assert chosen_programs(7, None).tolist() == list(range(7))
    assert chosen_programs(7, 100).tolist() == list(range(7))


LOOP = """
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func public @copy(%x: !tt.ptr<f32>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %trips = arith.constant 100 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %trips : i32
    scf.for %i = %zero to %trips step %one : i32 {
      %at = arith.addi %start, %i : i32
      %place = tt.addptr %x, %at : !tt.ptr<f32>, i32
      %value = tt.load %place : !tt.ptr<f32>
    }
    tt.return
  }
}
"""


@pytest.mark.parametrize(("runs", "programs"), [(101_000, 1000), (1, 256), (None, 4096)])
def test_programs_with_long_loops_are_sampled_and_counted_in_full(runs, programs):
    module = parse_module(LOOP)
    (function,) = module.functions
    ran = evaluate_launch(module, function, Launch("0", 1, (4096, 1, 1), {}), find("cuda:90"), 1, runs=runs)
    (access,) = ran.accesses.values()
    assert (ran.programs.evaluated, ran.programs.total) == (programs, 4096)
    assert ran.executions(access.op) == 4096 * 100


def test_a_small_sample_has_both_ends():
    assert chosen_programs(1000, 100)[[0, -1]].tolist() == [0, 999]
