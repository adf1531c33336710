"""IR of our own that the tests parse."""

from __future__ import annotations

COPY = """\
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#loc = loc("kernel.py":3:0)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @copy(%src: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("src"(#loc)), %n: i32 loc("n"(#loc))) {
    %c = arith.constant 512 : i32 loc(#loc)
    %pid = tt.get_program_id x : i32 loc(#loc2)
    %0 = arith.muli %pid, %c : i32 loc(#loc3)
    %1 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked> loc(#loc)
    %2 = tt.splat %0 : i32 -> tensor<512xi32, #blocked> loc(#loc)
    %3 = arith.addi %2, %1 : tensor<512xi32, #blocked> loc(#loc)
    %4 = tt.splat %n : i32 -> tensor<512xi32, #blocked> loc(#loc)
    %mask = arith.cmpi slt, %3, %4 : tensor<512xi32, #blocked> loc(#loc)
    %5 = tt.splat %src : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked> loc(#loc)
    %6 = tt.addptr %5, %3 : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked> loc(#loc)
    %7 = tt.load %6, %mask : tensor<512x!tt.ptr<f32>, #blocked> loc(#loc)
    tt.store %6, %7, %mask : tensor<512x!tt.ptr<f32>, #blocked> loc(#loc)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc(unknown)
#loc2 = loc("kernel.py":5:11)
#loc4 = loc("caller.py":9:2)
#loc3 = loc(callsite(#loc2 at #loc4))
"""

CONTROL = """\
#smem = #ttg.shared_memory
module {
  tt.func @f(%lb: i32, %n: i32, %cond: i1, %p: !tt.ptr<f16>) -> (i32, f32) {
    %zero = arith.constant 0.0 : f32
    %sum:2 = scf.for %i = %lb to %n step %n iter_args(%a = %lb, %b = %zero) -> (i32, f32)  : i32 {
      %next = arith.addi %a, %i : i32
      scf.yield %next, %b : i32, f32
    } {tt.num_stages = 3 : i32}
    %w = scf.while (%x = %sum#0) : (i32) -> i32 {
      scf.condition(%cond) %x : i32
    } do {
    ^bb0(%y: i32):
      scf.yield %y : i32
    }
    scf.if %cond {
      tt.store %p, %h : !tt.ptr<f16>
    } else {
    }
    %h = arith.constant 1.0 : f16
    ttg.warp_specialize(%w, %p)
    default {
      ttg.warp_yield
    }
    partition0(%w: i32, %q: !tt.ptr<f16>) num_warps(2) {
      %v = tt.load %q : !tt.ptr<f16>
      ttg.warp_return
    }
    partition1(%arg: i32, %q: !tt.ptr<f16>) num_warps(1) {
      ttg.warp_return
    } : (i32, !tt.ptr<f16>) -> ()
    cf.cond_br %cond, ^yes(%w : i32), ^no
  ^yes(%z: i32):
    cf.br ^no
  ^no:
    tt.return %sum#0, %sum#1 : i32, f32
  }
}
"""

GENERIC = """\
"builtin.module"() ({
  "tt.func"() <{
      arg_attrs = [{tt.divisibility = 16 : i32}, {}], function_type = (tensor<8xf32>, i32) -> (), sym_name = "g"
    }> ({
  ^bb0(%t: tensor<8xf32>, %n: i32):
    %0 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = "arith.addf"(%a, %b) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%s) : (f32) -> ()
    }) {note = "x"} : (tensor<8xf32>) -> f32
    %c = "arith.cmpi"(%n, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1
    "cf.cond_br"(%c, %n)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
  ^bb1(%m: i32):
    "tt.return"() : () -> ()
  ^bb2:
    "my.unknown"(%0, %n) {weird = #my.attr<a [b]>} : (f32, i32) -> !my.type<4>
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
