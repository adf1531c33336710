"""A sum that only a last atomic uses: all warps but the first have left when it is read (seen in an H200's SASS).

`@!P1 EXIT; LDS R5, [UR4]; ATOMG…` is what sums by atomics of Triton 3.6 end with: 7 wavefronts a program counted.
"""

import pytest

from gluon_inspect import targets
from gluon_inspect.ir.text import parse_mlir
from gluon_inspect.traffic.shared.records import shared_accesses
from tests.shared.lowered import lowered

HOPPER = targets.find("cuda:90")
ATOMIC = "%old = tt.atomic_rmw fadd, acq_rel, gpu, %y, {value}, %true : (!tt.ptr<f32>, f32, i1) -> f32"
ALONE = ATOMIC.format(value="%sum")
SCALED = "%two = arith.constant 2.0 : f32\n%twice = arith.mulf %sum, %two : f32\n" + ATOMIC.format(value="%twice")
USED = f"{ALONE}\ntt.store %z, %old : !tt.ptr<f32>"
SHARED = f"tt.store %z, %sum : !tt.ptr<f32>\n{ALONE}"
STORED = "tt.store %y, %sum : !tt.ptr<f32>"
FOLLOWED = f"{ALONE}\ntt.store %z, %one : !tt.ptr<f32>"


def wavefronts(ends, warps=4, version=(3, 6)):
    """Of one program's stores and loads for the sum."""
    module = parse_mlir(f"""
#b = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [{warps}], order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, ttg.target = "cuda:90"}} {{
  tt.func public @kernel(%x: tensor<1024xf32, #b>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {{
    %true = arith.constant true
    %one = arith.constant 1.0 : f32
    %sum = "tt.reduce"(%x) <{{axis = 0 : i32}}> ({{
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }}) : (tensor<1024xf32, #b>) -> f32
    {ends}
    tt.return
  }}
}}
""")
    records = shared_accesses(lowered(module, HOPPER, version), HOPPER)
    return tuple(record.wavefronts for record in records if record.op == "tt.reduce")


@pytest.mark.parametrize("warps", [2, 4, 8])
def test_a_sum_for_a_last_atomic_is_read_by_one_warp(warps):
    assert wavefronts(ALONE, warps) == (warps + 1, 1 + 1)


@pytest.mark.parametrize("ends", [SCALED, USED, SHARED, STORED, FOLLOWED])
def test_a_sum_that_anything_else_needs_is_read_by_every_warp(ends):
    assert wavefronts(ends) == (4 + 1, 1 + 4)


def test_a_sum_whose_last_step_is_a_shuffle_is_read_as_before():
    assert wavefronts(ALONE, version=(3, 9)) == wavefronts(STORED, version=(3, 9))


def test_an_atomic_after_a_store_is_what_comes_last():
    pointers = "tensor<1024x!tt.ptr<f32>, #b>"
    both = f"%all = tt.splat %z : !tt.ptr<f32> -> {pointers}\ntt.store %all, %x : {pointers}"
    assert wavefronts(f"{both}\n{ALONE}") == (5, 2)
    assert wavefronts(f"{ALONE}\n{both}") == (5, 5)
