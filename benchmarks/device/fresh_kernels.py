"""Kernels of families that the time model has not seen: what benchmarks/device/fresh_set.py times on a card."""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

# ruff: noqa: ANN001, ANN201, ARG001, D103, E501
# fmt: off


@triton.jit
def rope_halves(x, cos, sin, y, H: tl.constexpr, D: tl.constexpr, BH: tl.constexpr):
    token, i = tl.program_id(0), tl.arange(0, D // 2)
    h = tl.program_id(1) * BH + tl.arange(0, BH)
    c, s = tl.load(cos + token * (D // 2) + i), tl.load(sin + token * (D // 2) + i)
    at = (token * H + h)[:, None] * D + i[None, :]
    a, b = tl.load(x + at).to(tl.float32), tl.load(x + at + D // 2).to(tl.float32)
    tl.store(y + at, (a * c[None, :] - b * s[None, :]).to(y.dtype.element_ty))
    tl.store(y + at + D // 2, (b * c[None, :] + a * s[None, :]).to(y.dtype.element_ty))


@triton.jit
def gather_rows(table, index, y, D, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    chosen = tl.load(index + row)
    v = tl.load(table + chosen[:, None] * D + col[None, :])
    tl.store(y + row[:, None] * D + col[None, :], v)


@triton.jit
def small_products(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    p = tl.program_id(0)
    va = tl.load(a + p * M * K + m[:, None] * K + k[None, :])
    vb = tl.load(b + p * K * N + k[:, None] * N + n[None, :])
    tl.store(c + p * M * N + m[:, None] * N + n[None, :], tl.dot(va, vb).to(c.dtype.element_ty))


@triton.jit
def group_norm(x, w, y, GROUP_SIZE, eps, BLOCK: tl.constexpr):
    base = tl.program_id(0) * GROUP_SIZE
    total = tl.zeros([BLOCK], tl.float32)
    squares = tl.zeros([BLOCK], tl.float32)
    for i in range(0, GROUP_SIZE, BLOCK):
        v = tl.load(x + base + i + tl.arange(0, BLOCK)).to(tl.float32)
        total += v
        squares += v * v
    mean = tl.sum(total, 0) / GROUP_SIZE
    r = tl.rsqrt(tl.sum(squares, 0) / GROUP_SIZE - mean * mean + eps)
    g = tl.load(w + tl.program_id(0) % 32)
    for i in range(0, GROUP_SIZE, BLOCK):
        v = tl.load(x + base + i + tl.arange(0, BLOCK)).to(tl.float32)
        tl.store(y + base + i + tl.arange(0, BLOCK), ((v - mean) * r * g).to(y.dtype.element_ty))


@triton.jit
def split_k(a, b, c, M, N, K, SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.program_id(2) * (K // SPLIT) + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K // SPLIT, BK):
        va = tl.load(a + m[:, None] * K + (k + i)[None, :])
        vb = tl.load(b + (k + i)[:, None] * N + n[None, :])
        acc = tl.dot(va, vb, acc)
    tl.atomic_add(c + m[:, None] * N + n[None, :], acc, sem="relaxed")


@triton.jit
def row_argmax(x, best, where, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = tl.full([BLOCK], float("-inf"), tl.float32)
    at = tl.zeros([BLOCK], tl.int32)
    for i in range(0, N, BLOCK):
        col = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + col, mask=col < N, other=float("-inf")).to(tl.float32)
        at = tl.where(v > top, col, at)
        top = tl.maximum(top, v)
    most = tl.max(top, 0)
    tl.store(best + row, most)
    tl.store(where + row, tl.min(tl.where(top == most, at, N), 0))


@triton.jit
def dequantise(q, scale, y, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    packed = tl.load(q + i, mask=i < n, other=0)
    s = tl.load(scale + i // GROUP, mask=i < n, other=0.0)
    low, high = ((packed & 15) - 8).to(tl.float32) * s, ((packed >> 4) - 8).to(tl.float32) * s
    both = tl.interleave(low, high).to(y.dtype.element_ty)
    o = tl.program_id(0) * 2 * BLOCK + tl.arange(0, 2 * BLOCK)
    tl.store(y + o, both, mask=o < 2 * n)


@triton.jit
def grouped_attention(q, k, v, o, scale, S, GROUP: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1)
    m, d, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D), tl.arange(0, BN)
    at = head * S * D + m[:, None] * D + d[None, :]
    kv = (head // GROUP) * S * D
    vq = tl.load(q + at)
    top = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for i in range(0, S, BN):
        s = tl.dot(vq, tl.load(k + kv + (i + n)[None, :] * D + d[:, None])) * scale
        new = tl.maximum(top, tl.max(s, 1))
        p, fade = tl.exp2(s - new[:, None]), tl.exp2(top - new)
        total = total * fade + tl.sum(p, 1)
        vv = tl.load(v + kv + (i + n)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(vv.dtype), vv, acc * fade[:, None])
        top = new
    tl.store(o + at, (acc / total[:, None]).to(o.dtype.element_ty))


@triton.jit
def decode_attention(q, k, v, o, scale, S, D: tl.constexpr, PER: tl.constexpr, BN: tl.constexpr):
    """One query a head, a part of the keys a program."""
    head, part = tl.program_id(0), tl.program_id(1)
    d, n = tl.arange(0, D), tl.arange(0, BN)
    vq = tl.load(q + head * D + d).to(tl.float32) * scale
    top, total = -float("inf"), 0.0
    acc = tl.zeros([D], tl.float32)
    for i in range(0, PER, BN):
        at = head * S * D + (part * PER + i + n)[:, None] * D + d[None, :]
        s = tl.sum(tl.load(k + at).to(tl.float32) * vq[None, :], 1)
        new = tl.maximum(top, tl.max(s, 0))
        p, fade = tl.exp2(s - new), tl.exp2(top - new)
        total = total * fade + tl.sum(p, 0)
        acc = acc * fade + tl.sum(tl.load(v + at).to(tl.float32) * p[:, None], 0)
        top = new
    tl.store(o + (head * tl.num_programs(1) + part) * D + d, acc / total)


@triton.jit
def count_bins(index, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(index + i, mask=i < n, other=0), tl.full([BLOCK], 1, tl.int32), mask=i < n, sem="relaxed")


@triton.jit
def scatter_add(x, index, y, D, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + row[:, None] * D + col[None, :])
    tl.atomic_add(y + tl.load(index + row)[:, None] * D + col[None, :], v, sem="relaxed")


@triton.jit
def gemv(a, x, y, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS, BLOCK], tl.float32)
    for i in range(0, N, BLOCK):
        col = i + tl.arange(0, BLOCK)
        acc += tl.load(a + row[:, None] * N + col[None, :]).to(tl.float32) * tl.load(x + col)[None, :].to(tl.float32)
    tl.store(y + row, tl.sum(acc, 1))


@triton.jit
def persistent_product(a, b, c, M, N, K, TILES, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """B is stored along K."""
    for tile in range(tl.program_id(0), TILES, tl.num_programs(0)):
        m = (tile // (N // BN)) * BM + tl.arange(0, BM)
        n = (tile % (N // BN)) * BN + tl.arange(0, BN)
        k = tl.arange(0, BK)
        acc = tl.zeros((BM, BN), tl.float32)
        for i in range(0, K, BK):
            acc = tl.dot(tl.load(a + m[:, None] * K + (k + i)[None, :]), tl.load(b + n[None, :] * K + (k + i)[:, None]), acc)
        tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def stencil(x, y, H, W, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.program_id(1) * BW + tl.arange(0, BW)
    acc = tl.zeros([BH, BW], tl.float32)
    for dr in tl.static_range(-1, 2):
        for dc in tl.static_range(-1, 2):
            inside = ((r + dr >= 0) & (r + dr < H))[:, None] & ((c + dc >= 0) & (c + dc < W))[None, :]
            acc += tl.load(x + (r + dr)[:, None] * W + (c + dc)[None, :], mask=inside, other=0.0) * (1.0 + dr + 3.0 * dc)
    tl.store(y + r[:, None] * W + c[None, :], acc)


@triton.jit
def softmax_backward(y, dy, dx, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, BLOCK)
    keep = tl.arange(0, BLOCK) < N
    p = tl.load(y + at, mask=keep, other=0.0).to(tl.float32)
    g = tl.load(dy + at, mask=keep, other=0.0).to(tl.float32)
    tl.store(dx + at, (p * (g - tl.sum(p * g, 0))).to(dx.dtype.element_ty), mask=keep)


@triton.jit
def quantise_rows(x, q, scale, N, BLOCK: tl.constexpr):
    row, col = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * N + col, mask=col < N, other=0.0).to(tl.float32)
    s = tl.max(tl.abs(v), 0) / 127.0
    tl.store(q + row * N + col, (v / s).to(tl.int8), mask=col < N)
    tl.store(scale + row, s)


@triton.jit
def adam(p, g, m, v, n, rate, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    grad = tl.load(g + i, mask=keep)
    first = 0.9 * tl.load(m + i, mask=keep) + 0.1 * grad
    second = 0.999 * tl.load(v + i, mask=keep) + 0.001 * grad * grad
    tl.store(m + i, first, mask=keep)
    tl.store(v + i, second, mask=keep)
    tl.store(p + i, tl.load(p + i, mask=keep) - rate * first / (tl.sqrt(second) + 1e-8), mask=keep)


@triton.jit
def dropout_add(x, r, y, n, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, i) > 0.1
    v = tl.load(x + i, mask=i < n).to(tl.float32) / 0.9
    tl.store(y + i, (tl.where(kept, v, 0.0) + tl.load(r + i, mask=i < n)).to(y.dtype.element_ty), mask=i < n)


@gluon.jit
def gl_scale_1d(x, y, n, layout: gl.constexpr, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(y + i, gl.load(x + i, mask=i < n) * 1.5, mask=i < n)


@gluon.jit
def gl_add_2d(a, b, c, M, N, layout: gl.constexpr, BM: gl.constexpr, BN: gl.constexpr):
    m = gl.program_id(0) * BM + gl.arange(0, BM, layout=gl.SliceLayout(1, layout))
    n = gl.program_id(1) * BN + gl.arange(0, BN, layout=gl.SliceLayout(0, layout))
    at = m[:, None] * N + n[None, :]
    gl.store(c + at, gl.load(a + at) + gl.load(b + at))


@gluon.jit
def gl_transpose_shared(x, y, M, N, layout: gl.constexpr, out: gl.constexpr, smem: gl.constexpr, B: gl.constexpr):
    m = gl.program_id(0) * B + gl.arange(0, B, layout=gl.SliceLayout(1, layout))
    n = gl.program_id(1) * B + gl.arange(0, B, layout=gl.SliceLayout(0, layout))
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [B, B], smem)
    tile.store(gl.load(x + m[:, None] * N + n[None, :]))
    r = gl.program_id(1) * B + gl.arange(0, B, layout=gl.SliceLayout(1, out))
    s = gl.program_id(0) * B + gl.arange(0, B, layout=gl.SliceLayout(0, out))
    gl.store(y + r[:, None] * M + s[None, :], tile.permute([1, 0]).load(out))
