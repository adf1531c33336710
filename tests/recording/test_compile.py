"""IR in, binary out."""

from __future__ import annotations

import pytest

from gluon_inspect.errors import UsageError
from gluon_inspect.recording.compile import compile_ir

COPY = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90",
                   "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %a = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
    %b = tt.addptr %a, %i : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
    %c = tt.load %b : tensor<128x!tt.ptr<f32>, #blocked>
    %d = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
    %e = tt.addptr %d, %i : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
    tt.store %e, %c : tensor<128x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
"""


def test_ttgir_becomes_ptx_and_a_binary() -> None:
    kernel = compile_ir(COPY, "cuda:90")
    assert kernel.name == "copy"
    assert "ld.global" in kernel.stages["ptx"]
    assert kernel.binary[:4] == b"\x7fELF"
    assert "IR Dump Before" in kernel.dump
    assert kernel.error == ""


def test_ir_that_does_not_parse_says_why() -> None:
    kernel = compile_ir(COPY.replace("tt.load %b", "tt.load %nothing"), "cuda:90")
    assert kernel.binary == b""
    assert 'kernel.ttgir":9:18): error: use of undeclared SSA value name' in kernel.error


def test_what_cannot_be_compiled_is_refused() -> None:
    with pytest.raises(UsageError):
        compile_ir(COPY, "cuda:1")
    with pytest.raises(ValueError, match="ptx"):
        compile_ir(COPY, "cuda:90", stage="ptx")
