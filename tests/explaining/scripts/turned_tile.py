"""Transpositions through shared memory that is read by columns: an 8-way conflict without a swizzle."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def turn(src, dst, n, layout: gl.constexpr, shared: gl.constexpr, X: gl.constexpr):
    x = gl.program_id(0) * X + gl.arange(0, X, layout=gl.SliceLayout(1, layout))
    y = gl.program_id(1) * X + gl.arange(0, X, layout=gl.SliceLayout(0, layout))
    tile = gl.allocate_shared_memory(gl.float32, [X, X], shared, gl.load(src + x[:, None] * n + y[None, :]))
    turned = tile.permute((1, 0)).load(layout)
    for _ in range(3):
        tile.store(turned)
        turned = tile.permute((1, 0)).load(layout) + 1
    u = gl.program_id(1) * X + gl.arange(0, X, layout=gl.SliceLayout(1, layout))
    v = gl.program_id(0) * X + gl.arange(0, X, layout=gl.SliceLayout(0, layout))
    gl.store(dst + u[:, None] * n + v[None, :], turned)


src, dst = torch.empty(4096, 4096, device="cuda"), torch.empty(4096, 4096, device="cuda")
rows, plain = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]), gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
turn[(128, 128)](src, dst, 4096, rows, plain, 32)
