"""Kernels with a finding, and the same with the advice followed: what the change gives on the card.

Run under the recorder (`gluon-inspect capture benchmarks/device/gains.py --target cuda:90`) every launch is made
once, before and after in turn; `python gains.py measure FILE` on a card times both, interleaved, with the L2
flushed, and writes medians. `gains_table.py` puts the two side by side.
"""

import json
import sys
import time

import torch
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

DEV = "cuda"
F16, F32 = torch.float16, torch.float32


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


def pairs():
    """(name, what the tool blames, before, after): launches without arguments."""
    big = [torch.randn(8192, 8192, device=DEV) for _ in range(2)]
    half = [torch.randn(1 << 26, device=DEV, dtype=F16) for _ in range(2)]
    down = gl.BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0])
    along4 = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    wide = gl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])
    far = gl.BlockedLayout([1, 16], [8, 4], [4, 1], [1, 0])
    rows4 = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    rows4b = gl.BlockedLayout([1, 4], [8, 4], [2, 2], [1, 0])

    def copy(layout, rows=64):
        return lambda: copy2[(8192 // rows, 128)](*big, 8192, rows, 64, layout)

    yield "copy_down_rows", "GI101", copy(down), copy(along4)
    yield "copy_far_apart", "GI101", copy(far, 128), copy(along4, 128)
    one = gl.BlockedLayout([1], [32], [4], [0])
    eight = gl.BlockedLayout([8], [32], [4], [0])
    yield (
        "tail_masked", "GI102",
        lambda: tail[(1 << 16,)](*half, (1 << 26) - 1, eight), lambda: tail[(1 << 16,)](*half, 1 << 26, eight),
    )  # fmt: skip
    yield (
        "tail_one_a_lane", "GI102",
        lambda: tail[(1 << 15,)](*half, (1 << 26) - 1, eight, 2048),
        lambda: tail[(1 << 15,)](*half, (1 << 26) - 1, one, 2048),
    )  # fmt: skip
    yield (
        "turned_store", "GI101",
        lambda: turned_store[(128, 128)](*big, 8192, 64, along4),
        lambda: turned_converted[(128, 128)](*big, 8192, 64, along4, wide),
    )  # fmt: skip
    plain, free = gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), gl.SwizzledSharedLayout(4, 4, 8, [1, 0])
    yield (
        "swizzle", "GI201",
        lambda: turn_shared[(256, 256)](*big, 8192, 32, rows4, plain),
        lambda: turn_shared[(256, 256)](*big, 8192, 32, rows4, free),
    )  # fmt: skip
    yield (
        "redundant_conversion", "GI401",
        lambda: converted_twice[(128, 128)](*big, 8192, along4, rows4b),
        lambda: converted_twice[(128, 128)](*big, 8192, along4, along4),
    )  # fmt: skip
    small = torch.randn(4096, device=DEV)
    yield (
        "invariant_conversion", "GI403",
        lambda: invariant[(1024,)](small, big[1], 16, along4, wide, 0),
        lambda: invariant[(1024,)](small, big[1], 16, along4, wide, 1),
    )  # fmt: skip

    def gemm(K, stages=3, warps=8, BM=128, BN=128):
        a, b = torch.randn(4096, K, device=DEV, dtype=F16), torch.randn(K, 2048, device=DEV, dtype=F16)
        c = torch.empty(4096, 2048, device=DEV, dtype=F16)
        grid = (4096 // BM, 2048 // BN)
        return lambda: product[grid](a, b, c, 2048, K, BM=BM, BN=BN, BK=64, num_warps=warps, num_stages=stages)

    yield "gemm_odd_rows", "GI102", gemm(2309), gemm(2320)
    yield "gemm_spills", "GI302", gemm(2304, stages=2, warps=4, BM=256, BN=128), gemm(2304, stages=2)
    long = torch.randn(1024 << 19, device=DEV)
    sums = torch.empty(8192, device=DEV)
    yield (
        "rows_odd", "GI102",
        lambda: row_sum[(1024,)](long, sums, (1 << 19) - 1, RB=2048, num_warps=8),
        lambda: row_sum[(1024,)](long, sums, (1 << 19) - 16, RB=2048, num_warps=8),
    )  # fmt: skip
    yield (
        "rows_narrow_half", "GI102",
        lambda: rows_scaled[(8192,)](*half, 8001, RB=8192, num_warps=8),
        lambda: rows_scaled[(8192,)](*half, 8016, RB=8192, num_warps=8),
    )  # fmt: skip
    yield (
        "one_warp", "num_warps",
        lambda: rows_scaled[(8192,)](*half, 8000, RB=8192, num_warps=1),
        lambda: rows_scaled[(8192,)](*half, 8000, RB=8192, num_warps=8),
    )  # fmt: skip
    yield (
        "view_from_1", "GI102",
        lambda: shifted[(1 << 15,)](half[0][1:], half[1], (1 << 25), B=1024),
        lambda: shifted[(1 << 15,)](half[0], half[1], (1 << 25), B=1024),
    )  # fmt: skip
    packed = torch.zeros(4096 * 5504, dtype=torch.int8, device=DEV)
    total = 4096 * 11008
    yield (
        "division_constant", "GI509",
        lambda: unpack_split[(triton.cdiv(total, 1024),)](packed, half[1], total, BLOCK=1024),
        lambda: unpack_flat[(triton.cdiv(total, 1024),)](packed, half[1], total, BLOCK=1024),
    )  # fmt: skip
    yield (
        "division_argument", "GI509",
        lambda: bias_divided[(43 * 1024,)](half[0], sums, half[1], 4096 * 11008, 11008, B=1024),
        lambda: bias_by_row[(11, 4096)](half[0], sums, half[1], 4096 * 11008, 11008, B=1024),
    )  # fmt: skip
    T, H = 27030, 24
    x, o = (torch.zeros(T, H, 128, device=DEV, dtype=torch.bfloat16) for _ in range(2))
    cos, sin = (torch.randn(T, 64, device=DEV) for _ in range(2))
    yield (
        "rope_pairs", "GI104",
        lambda: rope_pairs[(T, 3)](x, cos, sin, o, H=H, HALF=64, BH=8),
        lambda: rope_joined[(T, 3)](x, cos, sin, o, H=H, HALF=64, BH=8),
    )  # fmt: skip
    yield (
        "complex_pairs", "GI104",
        lambda: complex_scaled[(1 << 15,)](big[0], big[1], 1 << 25, B=1024),
        lambda: complex_split[(1 << 15,)](big[0], big[1], 1 << 25, B=1024),
    )  # fmt: skip
    scale = torch.randn(1 << 19, device=DEV)
    yield (
        "thin_tile", "GI101",
        lambda: thin[(64, 512)](half[0], scale, half[1], 1 << 19, 64, BY=1024, BX=1),
        lambda: thin[(1, 1 << 15)](half[0], scale, half[1], 1 << 19, 64, BY=16, BX=64),
    )  # fmt: skip
    yield (
        "column_sum", "GI101",
        lambda: column_sum[(8192,)](big[0], sums, 8192, 8192, XB=1, RB=1024, num_warps=4),
        lambda: column_sum[(1024,)](big[0], sums, 8192, 8192, XB=8, RB=128, num_warps=4),
    )  # fmt: skip
    yield (
        "few_programs", "GI304",
        lambda: long_sum[(16,)](big[0], sums, 1 << 24, B=4096, num_warps=8),
        lambda: long_sum[(264,)](big[0], sums, 1 << 24, B=4096, num_warps=8),
    )  # fmt: skip
    yield (
        "one_address", "GI105",
        lambda: scaled_by_all[(1 << 16,)](big[0], sums, big[1], 1 << 26, 0, B=1024),
        lambda: scaled_by_one[(1 << 16,)](big[0], sums, big[1], 1 << 26, 0, B=1024),
    )  # fmt: skip
    q, k, v, do = (torch.randn(32, 4096, 64, device=DEV, dtype=F16) for _ in range(4))
    dq, dk, dv = (torch.zeros(32, 4096, 64, device=DEV) for _ in range(3))

    def attention(stages):
        return lambda: grad_query[(32, 32)](
            q, k, v, do, dq, dk, dv, 0.125, 4096, D=64, BM=64, BN=128, num_warps=8, num_stages=stages
        )

    yield "stages", "GI503", attention(2), attention(3)


def measure(path: str, turns: int = 25, seconds: float = 110.0) -> None:
    """Medians in microseconds of each pair, turn by turn, L2 flushed before each launch; written pair by pair."""
    begun = time.perf_counter()
    flush = torch.empty(256 << 20, dtype=torch.int8, device=DEV)
    found = {"device": torch.cuda.get_device_name(), "triton": triton.__version__, "pairs": {}}
    for name, rule, before, after in pairs():
        if time.perf_counter() - begun > seconds:
            found["pairs"][name] = {"rule": rule, "error": f"not measured: {seconds:.0f} s were over"}
            continue
        try:
            found["pairs"][name] = {"rule": rule} | _medians(before, after, flush, turns)
        except Exception as error:  # noqa: BLE001 (a pair that fails leaves the others)
            found["pairs"][name] = {"rule": rule, "error": repr(error)[:300]}
        print(f"{time.perf_counter() - begun:6.1f} s", name, found["pairs"][name], flush=True)
        with open(path, "w") as file:
            json.dump(found, file, indent=1)


def _medians(before, after, flush, turns: int) -> dict[str, float]:
    times = {"before": [], "after": []}
    for run in (before, after, before, after):
        run()
    torch.cuda.synchronize()
    for _ in range(turns):
        for which, run in (("before", before), ("after", after)):
            flush.zero_()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            run()
            end.record()
            torch.cuda.synchronize()
            times[which].append(start.elapsed_time(end) * 1e3)
    return {which: sorted(all_)[turns // 2] for which, all_ in times.items()}


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "measure":
        measure(sys.argv[2])
    else:
        for *_, first, second in pairs():
            first()
            second()
