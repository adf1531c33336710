"""Stages of AMD's warp pipelines: what each one does, in the order of the loop."""

# ruff: noqa: E501 (IR keeps its lines)

from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect

DOT = "#ttg.dot_op<{opIdx = %d, parent = #mma, kWidth = 4}>"
A, B = DOT % 0, DOT % 1
IR = f"""
#rows = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [16, 4], warpsPerCTA = [8, 1], order = [1, 0]}}>
#mma = #ttg.amd_mfma<{{version = 4, warpsPerCTA = [2, 4], instrShape = [16, 16, 16], isTransposed = true}}>
#shared = #ttg.swizzled_shared<{{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32}} {{
  tt.func public @kernel(%src: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}, %n: i32, %rhs: tensor<32x32xf16, {B}>, %zero: tensor<32x32xf32, #mma>) {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %tile = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
    %at = tt.make_range {{end = 32 : i32, start = 0 : i32}} : tensor<32xi32, #ttg.slice<{{dim = 0, parent = #rows}}>>
    %row = tt.expand_dims %at {{axis = 0 : i32}} : tensor<32xi32, #ttg.slice<{{dim = 0, parent = #rows}}>> -> tensor<1x32xi32, #rows>
    %offsets = tt.broadcast %row : tensor<1x32xi32, #rows> -> tensor<32x32xi32, #rows>
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32, #mma>) : i32 {{
      %x:2 = scf.execute_region -> (tensor<32x32xf16, #rows>, i32) no_inline {{
        %start = arith.muli %i, %c1 : i32
        %base = tt.addptr %src, %start : !tt.ptr<f16>, i32
        %bases = tt.splat %base : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #rows>
        %to = tt.addptr %bases, %offsets : tensor<32x32x!tt.ptr<f16>, #rows>, tensor<32x32xi32, #rows>
        %v = tt.load %to : tensor<32x32x!tt.ptr<f16>, #rows>
        scf.yield %v, %start : tensor<32x32xf16, #rows>, i32
      }} {{triton.warp_pipeline.stage = "load", triton.warp_pipeline.priority = 1 : i32}}
      %sum = scf.execute_region -> tensor<32x32xf32, #mma> no_inline {{
        ttg.local_store %x#0, %tile : tensor<32x32xf16, #rows> -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
        %lhs = ttg.local_load %tile : !ttg.memdesc<32x32xf16, #shared, #smem, mutable> -> tensor<32x32xf16, {A}>
        %next = tt.dot %lhs, %rhs, %acc : tensor<32x32xf16, {A}> * tensor<32x32xf16, {B}> -> tensor<32x32xf32, #mma>
        %again = tt.addptr %src, %x#1 : !tt.ptr<f16>, i32
        %one = tt.load %again : !tt.ptr<f16>
        scf.yield %next : tensor<32x32xf32, #mma>
      }} {{triton.warp_pipeline.stage = "compute"}}
      scf.yield %sum : tensor<32x32xf32, #mma>
    }} {{triton.warp_pipeline.pipelined_for}}
    tt.return
  }}
}}
"""


def report():
    launch = Launch("0", 1, (2, 1, 1), {"n": 4})
    kernel = CompiledKernel("kernel", "hip:gfx950", "3.9.0", {"ttgir": IR}, launches=(launch,))
    return inspect(Capture("test", (kernel,))).kernels[0]


def test_what_each_stage_does():
    (table,) = [each for each in report().tables if each.key == "warp-pipeline"]
    assert [row[1:] for row in table.rows] == [("load", 1, 1, 0, 0, 0, 0), ("compute", "not set", 1, 0, 1, 1, 1)]


def test_values_leave_a_stage():
    """An address made in one stage and used in another is followed."""
    again = next(each for each in report().accesses if each.op == "tt.load" and not each.shape)
    assert (again.confidence, again.executions) != ("unknown", None)
    assert again.sectors is not None
