from __future__ import annotations

from gluon_inspect.facts.flops import matrix_flops
from gluon_inspect.ir.text import parse_mlir

_IR = """
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#a0 = #ttg.dot_op<{opIdx = 0, parent = #b}>
#a1 = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @f(%a: tensor<64x32xf32, #a0>, %b: tensor<32x128xf32, #a1>, %c: tensor<64x128xf32, #b>) {
    %d = tt.dot %a, %b, %c : tensor<64x32xf32, #a0> * tensor<32x128xf32, #a1> -> tensor<64x128xf32, #b>
    tt.return
  }
}
"""


def _operations():
    return list(parse_mlir(_IR).walk())


def test_two_for_each_multiply_add_and_execution():
    assert matrix_flops(_operations(), lambda _: 10) == 10 * 2 * 64 * 32 * 128


def test_unknown_trips_are_unknown_operations():
    assert matrix_flops(_operations(), lambda _: None) is None


def test_no_product_is_no_operation():
    module = parse_mlir("module { tt.func @f() { tt.return } }")
    assert matrix_flops(module.walk(), lambda _: 1) == 0
