"""The kernels of `gains.py`: each as a finding has it, and with the advice followed."""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


# layouts of global accesses
@gluon.jit
def copy2(src, dst, n, X: gl.constexpr, Y: gl.constexpr, layout: gl.constexpr):
    x = gl.program_id(0) * X + gl.arange(0, X, layout=gl.SliceLayout(1, layout))
    y = gl.program_id(1) * Y + gl.arange(0, Y, layout=gl.SliceLayout(0, layout))
    at = x[:, None] * n + y[None, :]
    gl.store(dst + at, gl.load(src + at))


@gluon.jit
def turned_store(src, dst, n, X: gl.constexpr, layout: gl.constexpr):
    x = gl.program_id(0) * X + gl.arange(0, X, layout=gl.SliceLayout(1, layout))
    y = gl.program_id(1) * X + gl.arange(0, X, layout=gl.SliceLayout(0, layout))
    gl.store(dst + y[None, :] * n + x[:, None], gl.load(src + x[:, None] * n + y[None, :]))


@gluon.jit
def turned_converted(src, dst, n, X: gl.constexpr, layout: gl.constexpr, other: gl.constexpr):
    x = gl.program_id(0) * X + gl.arange(0, X, layout=gl.SliceLayout(1, layout))
    y = gl.program_id(1) * X + gl.arange(0, X, layout=gl.SliceLayout(0, layout))
    value = gl.convert_layout(gl.load(src + x[:, None] * n + y[None, :]), other)
    u = gl.program_id(0) * X + gl.arange(0, X, layout=gl.SliceLayout(1, other))
    v = gl.program_id(1) * X + gl.arange(0, X, layout=gl.SliceLayout(0, other))
    gl.store(dst + v[None, :] * n + u[:, None], value)


@gluon.jit
def turn_shared(src, dst, n, X: gl.constexpr, layout: gl.constexpr, shared: gl.constexpr):
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


@gluon.jit
def converted_twice(src, dst, n, layout: gl.constexpr, other: gl.constexpr):
    x = gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    y = gl.program_id(1) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    value = gl.convert_layout(gl.load(src + x[:, None] * n + y[None, :]), other)
    u = gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, other))
    v = gl.program_id(1) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, other))
    gl.store(dst + u[:, None] * n + v[None, :], value)


@gluon.jit
def invariant(src, dst, tiles, layout: gl.constexpr, other: gl.constexpr, OUTSIDE: gl.constexpr):
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    value = gl.load(src + x[:, None] * 64 + y[None, :])
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, other))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, other))
    once = gl.convert_layout(value, other) if OUTSIDE else value
    for tile in range(tiles):
        turned = once if OUTSIDE else gl.convert_layout(value, other)
        at = (gl.program_id(0) * tiles + tile) * 4096
        gl.store(dst + at + u[:, None] + v[None, :] * 64, turned + tile)


@gluon.jit
def tail(src, dst, n, layout: gl.constexpr, B: gl.constexpr = 1024):
    at = gl.program_id(0) * B + gl.arange(0, B, layout=layout)
    gl.store(dst + at, gl.load(src + at, mask=at < n) + 1, mask=at < n)


# what the compiler chooses
@triton.jit
def product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.float32)
    for k0 in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (k0 + k)[None, :], mask=(k0 + k)[None, :] < K, other=0.0)
        right = tl.load(b + (k0 + k)[:, None] * N + n[None, :], mask=(k0 + k)[:, None] < K, other=0.0)
        acc = tl.dot(left, right, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


@triton.jit
def row_sum(x, o, n, RB: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([RB], tl.float32)
    for c0 in range(0, n, RB):
        c = c0 + tl.arange(0, RB)
        acc += tl.load(x + c + n * r, c < n, other=0.0)
    tl.store(o + r, tl.sum(acc, 0))


@triton.jit
def rows_scaled(x, o, n, RB: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, RB)
    v = tl.load(x + r * n + c, c < n, other=0.0).to(tl.float32)
    tl.store(o + r * n + c, (v * 2.0 / tl.sum(v, 0)).to(tl.float16), c < n)


@triton.jit
def shifted(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) * 2, i < n)


@triton.jit
def unpack_split(packed, out, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    row, col = i // 11008, i % 11008
    byte = tl.load(packed + (5504 * row + col // 2), ok)
    nib = tl.where(col % 2 == 0, byte & 15, (byte >> 4) & 15)
    tl.store(out + i, (nib - 8).to(tl.float16), ok)


@triton.jit
def unpack_flat(packed, out, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    byte = tl.load(packed + i // 2, ok)
    nib = tl.where(i % 2 == 0, byte & 15, (byte >> 4) & 15)
    tl.store(out + i, (nib - 8).to(tl.float16), ok)


@triton.jit
def bias_divided(x, bias, o, n, columns, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    row = i // columns
    tl.store(o + i, (tl.load(x + i, i < n) + tl.load(bias + row % 64, i < n)).to(tl.float16), i < n)


@triton.jit
def bias_by_row(x, bias, o, n, columns, B: tl.constexpr):
    row = tl.program_id(1)
    c = tl.program_id(0) * B + tl.arange(0, B)
    i, ok = row * columns + c, c < columns
    tl.store(o + i, (tl.load(x + i, ok) + tl.load(bias + row % 64)).to(tl.float16), ok)


@triton.jit
def rope_pairs(x, cos, sin, o, H: tl.constexpr, HALF: tl.constexpr, BH: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1) * BH + tl.arange(0, BH)
    i = tl.arange(0, HALF)
    c, s = tl.load(cos + t * HALF + i), tl.load(sin + t * HALF + i)
    base = (t * H + h)[:, None] * (2 * HALF)
    even = tl.load(x + base + 2 * i[None, :], mask=h[:, None] < H).to(tl.float32)
    odd = tl.load(x + base + 2 * i[None, :] + 1, mask=h[:, None] < H).to(tl.float32)
    tl.store(o + base + 2 * i[None, :], even * c - odd * s, mask=h[:, None] < H)
    tl.store(o + base + 2 * i[None, :] + 1, odd * c + even * s, mask=h[:, None] < H)


@triton.jit
def rope_joined(x, cos, sin, o, H: tl.constexpr, HALF: tl.constexpr, BH: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1) * BH + tl.arange(0, BH)
    i, j = tl.arange(0, HALF), tl.arange(0, 2 * HALF)
    c, s = tl.load(cos + t * HALF + i), tl.load(sin + t * HALF + i)
    base = (t * H + h)[:, None] * (2 * HALF) + j[None, :]
    both = tl.load(x + base, mask=h[:, None] < H).to(tl.float32)
    even, odd = tl.split(both.reshape(BH, HALF, 2))
    out = tl.join(even * c - odd * s, odd * c + even * s).reshape(BH, 2 * HALF)
    tl.store(o + base, out.to(tl.bfloat16), mask=h[:, None] < H)


@triton.jit
def complex_scaled(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    re, im = tl.load(x + 2 * i, i < n), tl.load(x + 2 * i + 1, i < n)
    tl.store(o + i, re * re + im * im, i < n)


@triton.jit
def complex_split(x, o, n, B: tl.constexpr):
    j = tl.program_id(0) * 2 * B + tl.arange(0, 2 * B)
    i = tl.program_id(0) * B + tl.arange(0, B)
    re, im = tl.split(tl.load(x + j, j < 2 * n).reshape(B, 2))
    tl.store(o + i, re * re + im * im, i < n)


@triton.jit
def thin(x, s, o, ny, nx, BY: tl.constexpr, BX: tl.constexpr):
    y = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    c = tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    ok = (y < ny) & (c < nx)
    v = tl.load(x + c + 64 * y, ok).to(tl.float32)
    w = tl.load(s + y, y < ny)
    tl.store(o + c + 64 * y, (v * w).to(tl.float16), ok)


@triton.jit
def column_sum(x, o, columns, rows, XB: tl.constexpr, RB: tl.constexpr):
    c = tl.program_id(0) * XB + tl.arange(0, XB)[:, None]
    acc = tl.zeros([XB, RB], tl.float32)
    for r0 in range(0, rows, RB):
        r = r0 + tl.arange(0, RB)[None, :]
        acc += tl.load(x + c + columns * r, (r < rows) & (c < columns), other=0.0)
    tl.store(o + c, tl.sum(acc, 1)[:, None], c < columns)


@triton.jit
def long_sum(x, o, n, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for i0 in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):
        i = i0 + tl.arange(0, B)
        acc += tl.load(x + i, i < n, other=0.0)
    tl.atomic_add(o, tl.sum(acc, 0))


@triton.jit
def scaled_by_all(x, s, o, n, step, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a, b = tl.load(s + i * step), tl.load(s + 1 + i * step)
    tl.store(o + i, tl.load(x + i, i < n) * a + b, i < n)


@triton.jit
def scaled_by_one(x, s, o, n, step, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a, b = tl.load(s), tl.load(s + 1)
    tl.store(o + i, tl.load(x + i, i < n) * a + b, i < n)


@triton.jit
def grad_query(q, k, v, do, dq, dk, dv, scale, S, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1) * S * D
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    kt = tl.load(k + base + n[:, None] * D + d[None, :])
    vt = tl.load(v + base + n[:, None] * D + d[None, :])
    gk, gv = tl.zeros([BN, D], tl.float32), tl.zeros([BN, D], tl.float32)
    for m0 in range(0, S, BM):
        m = m0 + tl.arange(0, BM)
        qt = tl.load(q + base + m[:, None] * D + d[None, :])
        dt = tl.load(do + base + m[:, None] * D + d[None, :])
        p = tl.math.exp2(tl.dot(qt, tl.trans(kt)) * scale)
        gv = tl.dot(tl.trans(p.to(tl.float16)), dt, gv)
        ds = (p * tl.dot(dt, tl.trans(vt))).to(tl.float16)
        gk = tl.dot(tl.trans(ds), qt, gk)
        tl.atomic_add(dq + base + m[:, None] * D + d[None, :], tl.dot(ds, kt), sem="relaxed")
    tl.store(dk + base + n[:, None] * D + d[None, :], gk)
    tl.store(dv + base + n[:, None] * D + d[None, :], gv)
