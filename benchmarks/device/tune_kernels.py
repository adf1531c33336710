"""What is tuned on the device: matrix products, attention both ways, layer norm, a Gluon product by WGMMA."""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    across, down = tl.cdiv(N, BN), tl.cdiv(M, BM)
    first = pid // (GROUP * across) * GROUP
    rows = min(down - first, GROUP)
    om = (first + pid % (GROUP * across) % rows) * BM + tl.arange(0, BM)
    on = pid % (GROUP * across) // rows * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    pa = a + (om % M)[:, None] * K + ok[None, :]
    pb = b + ok[:, None] * N + (on % N)[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * N
    tl.store(c + om[:, None] * N + on[None, :], acc.to(tl.float16), mask=(om[:, None] < M) & (on[None, :] < N))


@triton.jit
def attention(q, k, v, o, scale, S, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1) * S * D
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    od, on = tl.arange(0, D), tl.arange(0, BN)
    vq = tl.load(q + base + om[:, None] * D + od[None, :])
    top = tl.full([BM], float("-inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for n in range(0, S, BN):
        s = tl.dot(vq, tl.load(k + base + (n + on)[None, :] * D + od[:, None])) * (scale * 1.44269504)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        fade = tl.exp2(top - new)
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(
            p.to(tl.float16), tl.load(v + base + (n + on)[:, None] * D + od[None, :]), acc * fade[:, None]
        )
        top = new
    tl.store(o + base + om[:, None] * D + od[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def attention_backward(
    q, k, v, do, lse, delta, dk, dv, scale, S, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    """Gradients of keys and values: a block of them against all queries."""
    head = tl.program_id(1)
    base = head * S * D
    on = tl.program_id(0) * BN + tl.arange(0, BN)
    od = tl.arange(0, D)
    vk = tl.load(k + base + on[:, None] * D + od[None, :])
    vv = tl.load(v + base + on[:, None] * D + od[None, :])
    gk = tl.zeros([BN, D], dtype=tl.float32)
    gv = tl.zeros([BN, D], dtype=tl.float32)
    for m in range(0, S, BM):
        om = m + tl.arange(0, BM)
        vq = tl.load(q + base + om[:, None] * D + od[None, :])
        vd = tl.load(do + base + om[:, None] * D + od[None, :])
        s = tl.dot(vk, tl.trans(vq)) * (scale * 1.44269504)
        p = tl.exp2(s - tl.load(lse + head * S + om)[None, :])
        gv = tl.dot(p.to(tl.float16), vd, gv)
        ds = p * (tl.dot(vv, tl.trans(vd)) - tl.load(delta + head * S + om)[None, :])
        gk = tl.dot(ds.to(tl.float16), vq, gk)
    tl.store(dv + base + on[:, None] * D + od[None, :], gv.to(tl.float16))
    tl.store(dk + base + on[:, None] * D + od[None, :], (gk * scale).to(tl.float16))


@triton.jit
def layer_norm(x, w, b, y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        col = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + col, mask=col < N, other=0.0).to(tl.float32)
        total += v
        squares += v * v
    mean = tl.sum(total, 0) / N
    rstd = tl.rsqrt(tl.sum(squares, 0) / N - mean * mean + eps)
    for start in range(0, N, BLOCK):
        col = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + col, mask=col < N, other=0.0).to(tl.float32)
        scaled = (v - mean) * rstd * tl.load(w + col, mask=col < N) + tl.load(b + col, mask=col < N)
        tl.store(y + row * N + col, scaled.to(tl.float16), mask=col < N)


@gluon.jit
def product(
    a_desc, b_desc, c, K, N, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, DEPTH: gl.constexpr,
    num_warps: gl.constexpr,
):  # fmt: skip
    """A product through DEPTH buffers, filled by TMA, multiplied by WGMMA."""
    mma: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [num_warps, 1], [16, BN, 16])
    pm = gl.program_id(0) * BM
    pn = gl.program_id(1) * BN
    ta = gl.allocate_shared_memory(a_desc.dtype, [DEPTH, BM, BK], a_desc.layout)
    tb = gl.allocate_shared_memory(b_desc.dtype, [DEPTH, BK, BN], b_desc.layout)
    bars = gl.allocate_shared_memory(gl.int64, [DEPTH, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(DEPTH):
        mbarrier.init(bars.index(i), count=1)
    for i in gl.static_range(DEPTH - 1):
        mbarrier.expect(bars.index(i), a_desc.block_type.nbytes + b_desc.block_type.nbytes)
        tma.async_copy_global_to_shared(a_desc, [pm, i * BK], bars.index(i), ta.index(i))
        tma.async_copy_global_to_shared(b_desc, [i * BK, pn], bars.index(i), tb.index(i))
    acc = gl.zeros([BM, BN], gl.float32, layout=mma)
    for k in range(0, K // BK):
        slot = k % DEPTH
        mbarrier.wait(bars.index(slot), phase=(k // DEPTH) & 1)
        acc = warpgroup_mma(ta.index(slot), tb.index(slot), acc, is_async=True)
        acc = warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
        ahead = k + DEPTH - 1
        into = ahead % DEPTH
        go = ahead < K // BK
        mbarrier.expect(bars.index(into), a_desc.block_type.nbytes + b_desc.block_type.nbytes, pred=go)
        tma.async_copy_global_to_shared(a_desc, [pm, ahead * BK], bars.index(into), ta.index(into), pred=go)
        tma.async_copy_global_to_shared(b_desc, [ahead * BK, pn], bars.index(into), tb.index(into), pred=go)
    om = pm + gl.arange(0, BM, gl.SliceLayout(1, mma))
    on = pn + gl.arange(0, BN, gl.SliceLayout(0, mma))
    gl.store(c + om[:, None] * N + on[None, :], acc.to(gl.float16))
