"""Row-major in, column-major out, in one layout."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def turn(src, dst, n, m, layout: gl.constexpr, TILE: gl.constexpr):
    row = gl.program_id(0) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(1, layout))
    column = gl.program_id(1) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(0, layout))
    value = gl.load(src + row[:, None] * n + column[None, :])  # coalesced
    gl.store(dst + row[:, None] + column[None, :] * m, value)


def setup():
    src = torch.randn(4096, 8192, device="cuda")
    return src, torch.empty(8192, 4096, device="cuda")


def run(src, dst):
    layout = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    grid = (src.shape[0] // 64, src.shape[1] // 64)
    turn[grid](src, dst, src.shape[1], src.shape[0], layout, 64, num_warps=4)
    return dst


if __name__ == "__main__":
    run(*setup())
