"""IR from a file was verified by nobody: what cannot be is unknown, with a reason, and costs no more than that."""

from __future__ import annotations

import resource

import pytest

from gluon_inspect.loading import load
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect

_COPY = """
#b = #ttg.blocked<{sizePerThread = [8, 1, 1],
                   threadsPerWarp = [64, 1, 1], warpsPerCTA = [1, 2, 2], order = [0, 1, 2]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1, 2]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "hip:gfx950",
                   "ttg.threads-per-warp" = 64 : i32} {
  tt.func @copy(%input: tensor<1024x1024x1024x!tt.ptr<f32>, #b>,
                %view: !ttg.memdesc<1024x1024x1024xf32, #s, #smem, mutable>) {
    %token = ttg.async_copy_global_to_local %input, %view
      : tensor<1024x1024x1024x!tt.ptr<f32>, #b> -> <1024x1024x1024xf32, #s, #smem, mutable>
    tt.return
  }
}
"""


def test_a_tensor_beyond_tritons_limit_is_not_counted(tmp_path):
    path = tmp_path / "copy.ttgir"
    path.write_text(_COPY)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (kernel,) = inspect(load(path)).kernels
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20  # KiB
    reason = "1,073,741,824 elements, and Triton allows 1,048,576 in a tensor"
    assert [access.reason for access in kernel.accesses] == [f"layout: {reason}", reason]
    assert all(access.sectors is None and access.wavefronts is None for access in kernel.accesses)


_SPREAD = """
tt.func @kernel(%v: i32) {
  %b = tt.splat %v : i32 -> tensor<128xi32>
  %c = tt.broadcast %b : tensor<128xi32> -> tensor<128x32xi32>
  tt.return
}
"""


def test_a_broadcast_to_another_rank_is_told_at_its_line(tmp_path):
    path = tmp_path / "spread.ttir"
    path.write_text(_SPREAD)
    (kernel,) = inspect(load(path, target="cuda:90")).kernels
    assert kernel.unread.startswith(f"{path}:4:3: tt.broadcast of 128 is not 128x32")
    assert not kernel.faults


@pytest.mark.parametrize(
    ("name", "value"), [("shared", 1 << 40), ("num_warps", 0), ("num_ctas", -1), ("tmem_size", 1 << 20)]
)
def test_a_number_of_the_metadata_that_cannot_be_is_unknown(name: str, value: int):
    module = 'module attributes {ttg.target = "cuda:90"} { tt.func @k() { tt.return } }'
    kernel = CompiledKernel(
        "k", "cuda:90", stages={"ttgir": module}, metadata={name: value}, launches=(Launch("a"),)
    )
    (report,) = inspect(Capture("k.ttgir", (kernel,))).kernels
    told = f"the compiler's metadata give a {name} of {value}: it is taken to be unknown"
    assert report.problems.count(told) == 1
