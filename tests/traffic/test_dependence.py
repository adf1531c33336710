"""Parameters behind addresses, masks, bounds and branches, with memory contents cut off."""

from __future__ import annotations

import pytest

from gluon_inspect.ir.dependence import Dependence
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.text import parse_module
from gluon_inspect.traffic.launch import entry_function

KERNEL = """
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%src: !tt.ptr<i32>, %dst: !tt.ptr<f32>, %n: i32, %step: i32, %flag: i1, %scale: f32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %in = arith.constant true
    %head = tt.addptr %src, %step : !tt.ptr<i32>, i32
    %index = tt.load %head, %flag : !tt.ptr<i32>
    %last = scf.for %i = %zero to %n step %one iter_args(%at = %zero) -> (i32) : i32 {
      %p = tt.addptr %dst, %at : !tt.ptr<f32>, i32
      %v = tt.load %p : !tt.ptr<f32>
      %next = arith.addi %at, %step : i32
      scf.yield %next : i32
    }
    %q = tt.addptr %dst, %index : !tt.ptr<f32>, i32
    scf.if %flag {
      tt.store %q, %scale : !tt.ptr<f32>
    }
    tt.return
  }
}
"""

BLOCKS = """
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%dst: !tt.ptr<f32>, %n: i32, %flag: i1, %scale: f32) {
    cf.cond_br %flag, ^bb1(%n : i32), ^bb2
  ^bb1(%at: i32):
    %q = tt.addptr %dst, %at : !tt.ptr<f32>, i32
    tt.store %q, %scale : !tt.ptr<f32>
    cf.br ^bb2
  ^bb2:
    tt.return
  }
}
"""


def accesses(text: str) -> list[tuple[set[str], set[str]]]:
    """What is behind each load and store in order: in all, and behind the address alone."""
    module = parse_module(text, name="k")
    function = entry_function(module)
    assert function is not None
    found = Dependence(function, graph_of(module))
    starts = [op.span.start for op in function.walk() if op.name in ("tt.load", "tt.store")]
    return [(set(found.of(start)), set(found.of_address(start))) for start in starts]


def test_masks_and_addresses_are_told_apart():
    assert accesses(KERNEL)[0] == ({"src", "step", "flag"}, {"src", "step"})


def test_a_carried_value_depends_on_what_is_added_and_how_often():
    assert accesses(KERNEL)[1] == ({"dst", "n", "step"}, {"dst", "n", "step"})


def test_what_was_loaded_and_data_depend_on_no_parameter():
    assert accesses(KERNEL)[2] == ({"dst", "flag"}, {"dst"})


def test_values_handed_to_a_block_and_the_branch_to_it_count():
    assert accesses(BLOCKS) == [({"dst", "n", "flag"}, {"dst", "n"})]


@pytest.mark.parametrize("text", [KERNEL, BLOCKS])
def test_of_an_operation_elsewhere_everything_is_behind(text: str):
    module = parse_module(text, name="k")
    function = entry_function(module)
    assert function is not None
    found = Dependence(function, graph_of(module))
    assert found.of(-1) == set(found.parameters)
