"""A tile read five times against its order; the launch passes the shared layout."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def turn_often(src, dst, n, shared: gl.constexpr, TILE: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    row = gl.program_id(0) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(1, layout))
    column = gl.program_id(1) * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(0, layout))
    at = row[:, None] * n + column[None, :]
    value = gl.load(src + at)
    tile = gl.allocate_shared_memory(gl.float32, [TILE, TILE], shared, value)
    for _ in range(5):
        turned = tile.permute((1, 0)).load(layout)
        tile.store(turned + 1)
    gl.store(dst + at, tile.load(layout))


def setup():
    src = torch.randn(4096, 4096, device="cuda")
    return src, torch.empty_like(src)


def run(src, dst):
    shared = gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=1, order=[1, 0])
    turn_often[(64, 64)](src, dst, src.shape[1], shared, 64, num_warps=4)
    return dst


if __name__ == "__main__":
    run(*setup())
