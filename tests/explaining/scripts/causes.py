"""Small kernels, each slow (or not) for one reason, that explain has to name."""

import torch
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def strided(src, dst, stride):
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    x = gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    gl.store(dst + x[:, None] * 64 + y[None, :], gl.load(src + x[:, None] * stride + y[None, :]))


@gluon.jit
def spread(src, dst, step):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    gl.store(dst + offsets, gl.load(src + offsets * step))


@gluon.jit
def shifted(src, dst, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    gl.store(dst + offsets, gl.load(src + offsets, mask=offsets < n), mask=offsets < n)


@gluon.jit(do_not_specialize=["stride"])
def unspecialised(src, dst, stride):
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    x = gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    gl.store(dst + x[:, None] * 64 + y[None, :], gl.load(src + x[:, None] * stride + y[None, :]))


@gluon.jit
def tail(src, dst, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    gl.store(dst + offsets, gl.load(src + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def matmul(a, b, c, K, stride, BLOCK: tl.constexpr):
    rows, columns = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in tl.range(0, K, BLOCK, num_stages=3):
        left = tl.load(a + rows * stride + k + columns)
        right = tl.load(b + (k + rows) * stride + columns)
        sums = tl.dot(left, right, sums)
    tl.store(c + rows * BLOCK + columns, sums)


@gluon.jit
def scalar_loop(src, dst, n):
    start = gl.program_id(0) * n
    for i in range(n):
        gl.store(dst + start + i, gl.load(src + start + i))


@gluon.jit
def copies(src, dst, n, divisor):
    layout: gl.constexpr = gl.DistributedLinearLayout(
        [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], [[0, 0]] * 5, [[1, 0], [2, 0]], [], [4, 32]
    )
    x = gl.arange(0, 4, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    for i in range(n):
        at = (gl.program_id(0) * n + i) * 128 + x[:, None] * 32 + y[None, :]
        gl.store(dst + at, gl.load(src + at) // divisor)


@gluon.jit
def spilling(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    x = gl.arange(0, 256, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 256, layout=gl.SliceLayout(0, layout))
    offsets = gl.program_id(0) * 65536 + x[:, None] * 256 + y[None, :]
    value = gl.load(src + offsets)
    gl.store(dst + offsets, value - gl.max(value, axis=0)[None, :])


@gluon.jit
def turned(src, dst):
    against: gl.constexpr = gl.BlockedLayout([8, 1], [8, 4], [1, 4], [0, 1])
    along: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, against))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, against))
    base = gl.program_id(0) * 4096
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], shared)
    tile.store(gl.load(src + base + x[:, None] * 64 + y[None, :]))
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, along))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, along))
    gl.store(dst + base + u[:, None] * 64 + v[None, :], tile.load(along))


@gluon.jit
def gather(src, index, dst):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    gl.store(dst + offsets, gl.load(src + gl.load(index + offsets)))


@gluon.jit
def translated(src, dst, stride, N: gl.constexpr):
    # as Triton's translator writes it: its default layout for everything, and a conversion wherever shapes meet
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    x = gl.convert_layout(gl.arange(0, 32, layout=line), gl.SliceLayout(1, layout))
    y = gl.convert_layout(gl.arange(0, N, layout=line), gl.SliceLayout(0, layout))
    start = gl.program_id(0) * 32
    value = gl.load(src + (start + x)[:, None] * stride + y[None, :])
    total = gl.convert_layout(gl.sum(value, axis=1), line)
    gl.store(dst + start + gl.arange(0, 32, layout=line), total)


@gluon.jit
def across_warps(src, dst, stride, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0])
    rows: gl.constexpr = gl.SliceLayout(1, layout)
    x = gl.program_id(0) * 32 + gl.arange(0, 32, layout=rows)
    value = gl.load(src + x[:, None] * stride + gl.arange(0, N, layout=gl.SliceLayout(0, layout))[None, :])
    gl.store(dst + x, gl.sum(value, axis=1))


@gluon.jit
def scratched(src, dst, stride):
    along: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    down: gl.constexpr = gl.BlockedLayout([4, 1], [32, 1], [1, 4], [0, 1])
    x = gl.program_id(0) * 128 + gl.arange(0, 128, layout=gl.SliceLayout(1, along))
    y = gl.arange(0, 128, layout=gl.SliceLayout(0, along))
    value = gl.load(src + x[:, None] * stride + y[None, :])
    u = gl.program_id(0) * 128 + gl.arange(0, 128, layout=gl.SliceLayout(1, down))
    v = gl.arange(0, 128, layout=gl.SliceLayout(0, down))
    gl.store(dst + u[:, None] + v[None, :] * stride, gl.convert_layout(value, down))


@gluon.jit
def fine(src, dst, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    gl.store(dst + offsets, gl.load(src + offsets, mask=offsets < n) + 1, mask=offsets < n)


def f32(count):
    return torch.empty(count, device="cuda")


def f16(count):
    return torch.empty(count, device="cuda", dtype=torch.float16)


def main():
    n = 2**22
    strided[(1024,)](f16(65536 * 72), f16(65536 * 64), 72)
    spread[(n // 512,)](f32(2 * n), f32(n), 2)
    shifted[(n // 512,)](f32(n + 1)[1:], f32(n), n)
    unspecialised[(1024,)](f16(65536 * 80), f16(65536 * 64), 80)
    tail[(n // 512,)](f32(n), f32(n), n - 1)
    matmul[(1,)](f16(2**20), f16(2**20), f32(64 * 64), 1024, 1025, BLOCK=64)
    scalar_loop[(4096,)](f32(n), f32(n), 1024)
    copies[(1024,)](f32(n).int(), f32(n).int(), 32, 7)
    spilling[(64,)](f32(n), f32(n))
    turned[(1024,)](f16(n), f16(n))
    gather[(n // 512,)](f32(n), f32(n).int(), f32(n))
    translated[(2048,)](f32(n), f32(65536), 128, 128)
    scratched[(32,)](f32(4096 * 4096), f32(4096 * 4096), 4096)
    across_warps[(2048,)](f32(n), f32(65536), 128, 128)
    fine[(n // 512,)](f32(n), f32(n), n)


if __name__ == "__main__":
    main()
