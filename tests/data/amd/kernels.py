"""Gluon kernels of our own for AMD, compiled without a card: `compiled(name, gfx, ...)`."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

from gluon_inspect.model.artifact import CompiledKernel, Launch

REDUNDANT = gl.BlockedLayout([1, 8], [16, 4], [4, 1], [1, 0])
"""Four lanes share a row's eight scales, though one lane holds all of them."""
WARP_SIZES = {"gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32, "gfx1250": 32}


@gluon.jit
def scaled_gemm(a, b, a_scales, b_scales, c, K, scales_layout: gl.constexpr):
    """128 x 128 fp8 tile, one scale for 32 elements along K; B's scales are 1."""
    mfma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
    left: gl.constexpr = gl.DotOperandLayout(0, mfma, 16)
    right: gl.constexpr = gl.DotOperandLayout(1, mfma, 16)
    left_scales: gl.constexpr = gl.amd.cdna4.get_mfma_scale_layout(left, [128, 8])
    right_scales: gl.constexpr = gl.amd.cdna4.get_mfma_scale_layout(right, [128, 8])
    am = gl.arange(0, 128, layout=gl.SliceLayout(1, left))
    ak = gl.arange(0, 256, layout=gl.SliceLayout(0, left))
    bk = gl.arange(0, 256, layout=gl.SliceLayout(1, right))
    bn = gl.arange(0, 128, layout=gl.SliceLayout(0, right))
    sm = gl.arange(0, 128, layout=gl.SliceLayout(1, scales_layout))
    sk = gl.arange(0, 8, layout=gl.SliceLayout(0, scales_layout))
    acc = gl.zeros([128, 128], gl.float32, mfma)
    for k in range(0, K, 256):
        x = gl.amd.cdna4.buffer_load(a, am[:, None] * K + ak[None, :] + k)
        y = gl.amd.cdna4.buffer_load(b, bn[None, :] * K + bk[:, None] + k)
        s = gl.amd.cdna4.buffer_load(a_scales, sm[:, None] * (K // 32) + sk[None, :] + k // 32)
        t = gl.amd.cdna4.buffer_load(b_scales, sm[:, None] * (K // 32) + sk[None, :] + k // 32)
        s = gl.convert_layout(s, left_scales)
        t = gl.convert_layout(t, right_scales)
        acc = gl.amd.cdna4.mfma_scaled(x, s, "e4m3", y, t, "e4m3", acc)
    m = gl.arange(0, 128, layout=gl.SliceLayout(1, mfma))
    n = gl.arange(0, 128, layout=gl.SliceLayout(0, mfma))
    gl.amd.cdna4.buffer_store(acc, c, m[:, None] * 128 + n[None, :])


@triton.jit
def product(left, right, result, K, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """A tile of a GEMM, its loads as many iterations ahead as STAGES says."""
    rows, columns = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in tl.range(0, K, BLOCK, num_stages=STAGES):
        a = tl.load(left + rows * K + k + columns)
        b = tl.load(right + (k + rows) * BLOCK + columns)
        sums = tl.dot(a, b, sums)
    tl.store(result + rows * BLOCK + columns, sums)


@gluon.jit
def transposed(src, dst, LANES: gl.constexpr, shared: gl.constexpr):
    """64 x 64 floats through LDS: stored by rows, loaded by columns."""
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [LANES // 16, 16], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 1], [LANES, 1], [1, 4], [0, 1])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(gl.float32, [64, 64], shared)
    tile.store(gl.amd.cdna3.buffer_load(src, x[:, None] * 64 + y[None, :]))
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, columns))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, columns))
    gl.amd.cdna3.buffer_store(tile.load(columns), dst, u[:, None] + v[None, :] * 64)


_ARGUMENTS = {
    "scaled_gemm": {
        "a": "*fp8e4nv",
        "b": "*fp8e4nv",
        "a_scales": "*u8",
        "b_scales": "*u8",
        "c": "*fp32",
        "K": "i32",
    },
    "transposed": {"src": "*fp32", "dst": "*fp32"},
    "product": {"left": "*fp16", "right": "*fp16", "result": "*fp32", "K": "i32"},
}


def compiled(name: str, gfx: str, values: dict[str, int], **constants: object) -> CompiledKernel:
    """A kernel of this file as captured from one launch of one program, pointers 1 MiB apart."""
    kernel, arguments = globals()[name], _ARGUMENTS[name]
    signature = arguments | dict.fromkeys(constants, "constexpr")
    attrs = {(position,): [["tt.divisibility", 16]] for position in range(len(arguments))}
    front = GluonASTSource if kernel.is_gluon() else ASTSource
    source = front(kernel, signature, constexprs=constants, attrs=attrs)
    made = triton.compile(source, target=GPUTarget("hip", gfx, WARP_SIZES[gfx]))
    addresses = {key: (1 + place) << 20 for place, key in enumerate(arguments)}
    stages = {stage: made.asm[stage] for stage in ("ttir", "ttgir", "amdgcn") if stage in made.asm}
    metadata = {"shared": made.metadata.shared, "num_warps": made.metadata.num_warps}
    launch = Launch("0", 1, (1, 1, 1), addresses | values)
    return CompiledKernel(
        name, f"hip:{gfx}", triton.__version__, stages=stages, launches=(launch,), metadata=metadata,
        source_file=__file__,
    )  # fmt: skip
