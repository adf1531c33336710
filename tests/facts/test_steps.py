"""How far an address moves a trip of its loop, and from one loaded index to the next."""

from dataclasses import replace

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.facts.steps import index_bytes, trip_bytes
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.artifact import Launch
from tests.analyses.facts import NOTHING

LAYOUT = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
IR = """#b = {layout}
module attributes {{"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"}} {{
  tt.func public @k(%x: !tt.ptr<f32>, %ids: !tt.ptr<i32>, %stride: i32) {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %r = tt.make_range {{end = 128 : i32, start = 0 : i32}} : tensor<128xi32, #b>
    %ip = tt.splat %ids : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %ia = tt.addptr %ip, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %id = tt.load %ia : tensor<128x!tt.ptr<i32>, #b>
    %s = tt.splat %stride : i32 -> tensor<128xi32, #b>
    %row = arith.muli %id, %s : tensor<128xi32, #b>
    %xp = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %first = tt.addptr %xp, %row : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %on = tt.splat %stride : i32 -> tensor<128xi32, #b>
    %end:2 = scf.for %i = %c0 to %c64 step %c8 iter_args(%p = %first, %last = %c0)
        -> (tensor<128x!tt.ptr<f32>, #b>, i32) : i32 {{
      %k = {k} : i32
      %ks = tt.splat %k : i32 -> tensor<128xi32, #b>
      %at = tt.addptr {base}, %ks : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
      %v = tt.load %at : tensor<128x!tt.ptr<f32>, #b>
      %next = tt.addptr %p, %on : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
      scf.yield %next, %i : tensor<128x!tt.ptr<f32>, #b>, i32
    }}
    tt.return
  }}
}}"""


def made(k, base):
    """Facts, and the record of the load in the loop."""
    module = parse_mlir(IR.format(layout=LAYOUT, k=k, base=base))
    op = [op for op in module.walk() if op.name == "tt.load"][-1]
    access = Access("g0", "tt.load", Space.GLOBAL, Direction.LOAD, None, result_of=op.span.start, is_gather=True)
    launch = Launch("0", arguments={"stride": 100})
    return replace(NOTHING, module=module, graph=graph_of(module), launch=launch), access


@pytest.mark.parametrize(
    ("k", "base", "a_trip"),
    [
        ("arith.addi %i, %c1", "%first", 32),
        ("arith.muli %i, %stride", "%first", 3200),
        ("arith.divsi %i, %c8", "%first", 4),
        ("arith.divsi %i, %c64", "%first", None),
        ("arith.addi %c8, %c1", "%p", 400),
        ("arith.addi %i, %c1", "%p", 432),
        ("arith.addi %last, %c1", "%first", 32),
        ("arith.xori %i, %c1", "%first", None),
    ],
)
def test_a_trip_moves_by_what_is_linear_in_it(k, base, a_trip):
    assert trip_bytes(*made(k, base)) == a_trip


def test_indices_that_differ_by_one_are_a_row_apart():
    facts, access = made("arith.addi %i, %c1", "%first")
    assert index_bytes(facts, access) == 400
    assert index_bytes(replace(facts, launch=Launch("0")), access) is None
