"""Sums of rows whose lanes lie along the rows' ends: every lane its own row, half a kibibyte apart."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def sum_rows(src, dst, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout(
        size_per_thread=[1, 1],
        threads_per_warp=[32, 1],  # a lane a row
        warps_per_cta=[4, 1],
        order=[0, 1],
    )
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    value = gl.load(src + row[:, None] * COLUMNS + column[None, :])
    gl.store(dst + row, gl.sum(value, axis=1))


def setup():
    src = torch.randn(1 << 18, 128, device="cuda")
    return src, torch.empty(src.shape[0], device="cuda")


def run(src, dst):
    sum_rows[(src.shape[0] // 128,)](src, dst, 128, 128, num_warps=4)
    return dst


if __name__ == "__main__":
    run(*setup())
