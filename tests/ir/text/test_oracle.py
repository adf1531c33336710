"""Operations and result types equal those of Triton's own parser."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.ir.text import parse_type
from gluon_inspect.model.mlir import Operation

from .modules import COPY

pytest.importorskip("triton", reason="Triton is the oracle here")

CONTROL = """\
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #b}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<32x32x!tt.ptr<f16>, #b>, %n: i32, %c: i1) -> tensor<32x32xf16, #b> {
    %zero = arith.constant dense<0.0> : tensor<32x32xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf16, #s, #smem, mutable>
    %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %k = %n)
        -> (tensor<32x32xf16, #b>, i32) : i32 {
      %m = arith.cmpi sgt, %i, %k : i32
      %mask = tt.splat %m : i1 -> tensor<32x32xi1, #b>
      %slot = ttg.memdesc_index %buffer[%c0] : !ttg.memdesc<2x32x32xf16, #s, #smem, mutable>
        -> !ttg.memdesc<32x32xf16, #s, #smem, mutable>
      %token = ttg.async_copy_global_to_local %p, %slot mask %mask
        : tensor<32x32x!tt.ptr<f16>, #b> -> <32x32xf16, #s, #smem, mutable>
      %committed = ttg.async_commit_group tokens %token
      %done = ttg.async_wait %committed {num = 0 : i32}
      %x = ttg.local_load %slot token %done
        : !ttg.memdesc<32x32xf16, #s, #smem, mutable> -> tensor<32x32xf16, #b>
      %y = tt.load %p, %mask, %acc : tensor<32x32x!tt.ptr<f16>, #b>
      %z = scf.if %c -> (tensor<32x32xf16, #b>) {
        scf.yield %x : tensor<32x32xf16, #b>
      } else {
        scf.yield %y : tensor<32x32xf16, #b>
      }
      scf.if %c {
        tt.store %p, %z, %mask : tensor<32x32x!tt.ptr<f16>, #b>
      }
      scf.yield %z, %k : tensor<32x32xf16, #b>, i32
    }
    %sum = "tt.reduce"(%out#0) <{axis = 0 : i32}> ({
    ^bb0(%a: f16, %b: f16):
      %s = arith.addf %a, %b : f16
      tt.reduce.return %s : f16
    }) : (tensor<32x32xf16, #b>) -> tensor<32xf16, #row>
    %wide = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xf16, #row> -> tensor<1x32xf16, #b>
    %full = tt.broadcast %wide : tensor<1x32xf16, #b> -> tensor<32x32xf16, #b>
    %less = arith.cmpf olt, %full, %zero : tensor<32x32xf16, #b>
    %best = arith.select %less, %full, %out#0 : tensor<32x32xi1, #b>, tensor<32x32xf16, #b>
    tt.return %best : tensor<32x32xf16, #b>
  }
}
"""
TEXTS = [COPY, CONTROL]


def _after_its_regions(operation: Operation) -> Iterator[Operation]:
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _after_its_regions(inner)
    yield operation


def test_operations_and_result_types_are_tritons():
    oracle = Path(__file__).with_name("oracle.py")
    done = subprocess.run(
        [sys.executable, oracle], input=json.dumps(TEXTS), capture_output=True, text=True, check=True
    )
    for text, theirs in zip(TEXTS, json.loads(done.stdout), strict=True):
        ours = [op for top in parse_mlir(text).operations for op in _after_its_regions(top)]
        assert [op.name for op in ours] == [name for name, _ in theirs]
        for operation, (_, types) in zip(ours, theirs, strict=True):
            assert [value.type for value in operation.results] == [parse_type(of) for of in types]
