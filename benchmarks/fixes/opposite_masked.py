"""The same with a mask on both sides, in bfloat16."""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def turn_masked(src, dst, rows, columns, layout: gl.constexpr, TILE: gl.constexpr):
    row = gl.program_id(0) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(1, layout))
    column = gl.program_id(1) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(0, layout))
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    value = gl.load(src + row[:, None] * columns + column[None, :], mask=inside)
    gl.store(dst + row[:, None] + column[None, :] * rows, value, mask=inside)


def setup():
    src = torch.randn(4096, 8192, device="cuda", dtype=torch.bfloat16)
    return src, torch.empty(8192, 4096, device="cuda", dtype=torch.bfloat16)


def run(src, dst):
    layout = gl.BlockedLayout([1, 2], [1, 32], [4, 1], [1, 0])
    grid = (triton.cdiv(src.shape[0], 64), triton.cdiv(src.shape[1], 64))
    turn_masked[grid](src, dst, src.shape[0], src.shape[1], layout, 64, num_warps=4)
    return dst


if __name__ == "__main__":
    run(*setup())
