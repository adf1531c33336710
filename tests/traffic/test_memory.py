"""Indices that come from memory: exact where the tensor's contents were recorded, unknown where not."""

from __future__ import annotations

import pytest

from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch, TensorArgument
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.pipeline import inspect

GATHER = """
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @gather(%src: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %index: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #b>
    %m = tt.splat %n : i32 -> tensor<32xi32, #b>
    %c = arith.cmpi slt, %r, %m : tensor<32xi32, #b>
    %zero = arith.constant dense<0> : tensor<32xi32, #b>
    %p = tt.splat %index : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %q = tt.addptr %p, %r : tensor<32x!tt.ptr<i32>, #b>, tensor<32xi32, #b>
    %i = tt.load %q, %c, %zero : tensor<32x!tt.ptr<i32>, #b>
    %s = tt.splat %src : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %a = tt.addptr %s, %i : tensor<32x!tt.ptr<f32>, #b>, tensor<32xi32, #b>
    %v = tt.load %a, %c : tensor<32x!tt.ptr<f32>, #b>
    tt.store %a, %v, %c : tensor<32x!tt.ptr<f32>, #b>
    tt.return
  }
}
"""


def gathered(data, n, strides=(1,)):
    index = TensorArgument("int32", (len(data or ()),), strides, 1 << 20, data)
    src = TensorArgument("float32", (4096,), (1,), 1 << 24)
    launch = Launch("0", 1, (1, 1, 1), {"src": src, "index": index, "n": n})
    kernel = CompiledKernel("gather", "cuda:90", stages={"ttgir": GATHER}, launches=(launch,))
    return inspect(Capture("test", (kernel,))).kernels[0].accesses[1]


@pytest.mark.parametrize(("step", "sectors"), [(0, 1), (1, 4), (2, 8), (8, 32), (64, 32)])
def test_recorded_indices_are_followed(step, sectors):
    found = gathered(tuple(step * i for i in range(32)), 32)
    assert (found.requests, found.sectors, found.confidence) == (1, sectors, Confidence.EXACT)


def test_masked_lanes_need_no_index():
    found = gathered((0, 8, 16, 24), 4)
    assert (found.requests, found.sectors) == (1, 4)


def test_without_contents_nothing_is_known():
    found = gathered(None, 32)
    assert (found.requests, found.reason) == (None, "result of tt.load")


def test_an_index_beyond_the_tensor_is_unknown():
    assert gathered((1, 2, 3), 32).requests is None


def test_contents_that_are_not_dense_are_not_used():
    assert gathered(tuple(range(32)), 32, strides=(2,)).requests is None
