"""Reductions across warps whose results must move back, as Triton 3.9 writes them in PTX."""

import pytest

from gluon_inspect import targets
from gluon_inspect.ir.text import parse_mlir
from tests.shared.lowered import lowered


def reduction(rows, columns, per_thread, warps):
    layout = (
        f"sizePerThread = [1, {per_thread}], threadsPerWarp = [1, 32], warpsPerCTA = [{warps}, 1], order = [1, 0]"
    )
    tensor = f"tensor<{rows}x{columns}xi32, #rows>"
    result = f"tensor<{columns}xi32, #ttg.slice<{{dim = 0, parent = #rows}}>>"
    module = parse_mlir(f"""
#rows = #ttg.blocked<{{{layout}}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, ttg.target = "cuda:90"}} {{
  tt.func public @kernel(%x: {tensor}) {{
    %sum = "tt.reduce"(%x) <{{axis = 0 : i32}}> ({{
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }}) : ({tensor}) -> {result}
    tt.return
  }}
}}
""")
    (operation,) = lowered(module, targets.find("cuda:90"))
    return operation.lowering


@pytest.mark.parametrize(
    ("shape", "bits", "scratch_bytes"),
    [
        # warps beyond the rows hold copies
        ((4, 32, 1, 8), 32, 512),
        ((8, 64, 2, 4), 64, 1024),
        ((4, 64, 1, 4), 64, 1024),
    ],
)
def test_lanes_that_lent_their_place_get_their_results_back(shape, bits, scratch_bytes):
    found = reduction(*shape)
    assert [(step.store, step.transfer.bits, step.transfer.instructions * step.times) for step in found.steps] == [
        (True, bits, 1),
        (False, bits, 1),
    ] * 2
    assert (found.scratch_bytes, found.reason) == (scratch_bytes, "")
