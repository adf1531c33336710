"""Tiles turned through shared memory without a swizzle; the layout is a constant of the module."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@gluon.jit
def turn_shared(src, dst, n, m, TILE: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    row = gl.program_id(0) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(1, layout))
    column = gl.program_id(1) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(0, layout))
    tile = gl.allocate_shared_memory(gl.float32, [TILE, TILE], PLAIN)
    tile.store(gl.load(src + row[:, None] * n + column[None, :]))
    turned = tile.permute((1, 0)).load(layout)
    row = gl.program_id(1) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(1, layout))
    column = gl.program_id(0) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(0, layout))
    gl.store(dst + row[:, None] * m + column[None, :], turned)


def setup():
    src = torch.randn(4096, 8192, device="cuda")
    return src, torch.empty(8192, 4096, device="cuda")


def run(src, dst):
    turn_shared[(src.shape[0] // 64, src.shape[1] // 64)](src, dst, src.shape[1], src.shape[0], 64, num_warps=4)
    return dst


if __name__ == "__main__":
    run(*setup())
