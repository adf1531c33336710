"""Addresses whose lanes follow a tensor that was loaded from memory."""

import pytest

from gluon_inspect.axis.weak_arguments import is_gather
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.text import parse_module

TEXT = """
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @k(%src: !tt.ptr<f32>, %index: !tt.ptr<i32>) {
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %all = tt.splat %index : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %where = tt.addptr %all, %range : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %lanes = tt.load %where : tensor<128x!tt.ptr<i32>, #b>
    %one = tt.load %index : !tt.ptr<i32>
    %row = tt.addptr %src, %one : !tt.ptr<f32>, i32
    %base = tt.splat %row : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %straight = tt.addptr %base, %range : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %gathered = tt.addptr %base, %lanes : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    tt.return
  }
}
"""


@pytest.mark.parametrize(("name", "gather"), [("%gathered", True), ("%straight", False), ("%where", False)])
def test_a_gather_follows_loaded_lanes_and_not_a_loaded_row(name, gather):
    module = parse_module(TEXT)
    value = next(v for op in module.walk() for v in op.results if v.name == name)
    assert is_gather(value, graph_of(module)) is gather
