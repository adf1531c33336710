"""The kernels behind the excerpts in this folder (README.md says how they were made)."""

import triton
import triton.language as tl


@triton.jit
def doubled(pointer, offsets):
    return tl.load(pointer + offsets) * 2


@triton.jit
def helper(source, target, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = doubled(source, offsets)
    tl.store(target + offsets, value / tl.sum(value, 0))


@triton.jit(noinline=True)
def bump(pointer):
    tl.store(pointer, tl.load(pointer) + 1)


@triton.jit
def outlined(source, target, BLOCK: tl.constexpr):
    bump(source)
    offsets = tl.arange(0, BLOCK)
    tl.store(target + offsets, tl.load(source + offsets))


@triton.jit
def squares(source, target, SIZE: tl.constexpr):
    rows, columns = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    value = tl.load(source + rows * SIZE + columns)
    tl.store(target + rows * SIZE + columns, tl.dot(value, value))


@triton.jit
def product(left, right, result, K, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    rows, columns = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in tl.range(0, K, BLOCK, num_stages=STAGES):
        a = tl.load(left + rows * K + k + columns)
        b = tl.load(right + (k + rows) * BLOCK + columns)
        sums = tl.dot(a, b, sums)
    tl.store(result + rows * BLOCK + columns, sums)
