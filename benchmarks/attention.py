# ruff: noqa: ANN001, ANN201, ANN202 - kernels name no types
"""Forward attention with online softmax, for the benchmarks: compiled for Blackwell it is a large module."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def _block(acc, sums, peaks, q, k_desc, v_desc, row, begin, end, rows, SCALE: tl.constexpr,
           N: tl.constexpr, MASKED: tl.constexpr):  # fmt: skip
    for start in tl.range(begin, end, N, num_stages=3):
        k = k_desc.load([row + start, 0]).T
        scores = tl.dot(q, k) * SCALE
        if MASKED:
            scores = tl.where(rows[:, None] >= (start + tl.arange(0, N))[None, :], scores, -1.0e6)
        top = tl.maximum(peaks, tl.max(scores, 1))
        weights = tl.math.exp2(scores - top[:, None])
        shrink = tl.math.exp2(peaks - top)
        sums = sums * shrink + tl.sum(weights, 1)
        acc = acc * shrink[:, None]
        acc = tl.dot(weights.to(tl.float16), v_desc.load([row + start, 0]), acc)
        peaks = top
    return acc, sums, peaks


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, length, heads, SCALE: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
              D: tl.constexpr, COPIES: tl.constexpr):  # fmt: skip
    """Causal attention of `COPIES` independent blocks of rows in one program."""
    total = heads * length
    q_desc = tl.make_tensor_descriptor(q_ptr, [total, D], [D, 1], [M, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, [total, D], [D, 1], [N, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, [total, D], [D, 1], [N, D])
    out_desc = tl.make_tensor_descriptor(out_ptr, [total, D], [D, 1], [M, D])
    row = tl.program_id(1) * length
    for copy in tl.static_range(COPIES):
        first = (tl.program_id(0) * COPIES + copy) * M
        rows = first + tl.arange(0, M)
        q = q_desc.load([row + first, 0])
        peaks = tl.full([M], float("-inf"), tl.float32)
        sums = tl.full([M], 1.0, tl.float32)
        acc = tl.zeros([M, D], tl.float32)
        acc, sums, peaks = _block(acc, sums, peaks, q, k_desc, v_desc, row, 0, first, rows, SCALE, N, False)
        acc, sums, peaks = _block(acc, sums, peaks, q, k_desc, v_desc, row, first, first + M, rows, SCALE, N, True)
        out_desc.store([row + first, 0], (acc / sums[:, None]).to(tl.float16))


def compile_attention(architecture: int = 100, copies: int = 2) -> triton.compiler.CompiledKernel:
    """The attention kernel compiled for an NVIDIA architecture; needs no GPU."""
    signature = dict.fromkeys(("q_ptr", "k_ptr", "v_ptr", "out_ptr"), "*fp16")
    signature |= {"length": "i32", "heads": "i32"}
    constants = {"SCALE": 0.125, "M": 128, "N": 64, "D": 64, "COPIES": copies}
    signature |= dict.fromkeys(constants, "constexpr")
    attributes = {(at,): [["tt.divisibility", 16]] for at in range(6)}
    source = ASTSource(attention, signature, constants, attributes)
    return triton.compile(source, target=GPUTarget("cuda", architecture, 32), options={"num_warps": 4})


if __name__ == "__main__":
    print(compile_attention().asm["ttgir"])
