"""Complex numbers, real and imaginary parts beside each other, multiplied."""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a_re, a_im = tl.load(a + 2 * i, i < n), tl.load(a + 2 * i + 1, i < n)
    b_re = tl.load(b + 2 * i, i < n)
    b_im = tl.load(b + 2 * i + 1, i < n)
    tl.store(o + 2 * i, a_re * b_re - a_im * b_im, i < n)
    tl.store(o + 2 * i + 1, a_re * b_im + a_im * b_re, i < n)


def setup():
    a, b = (torch.randn(1 << 24, 2, device="cuda") for _ in range(2))
    return a, b, torch.empty_like(a)


def run(a, b, o):
    n = a.shape[0]
    multiply[(triton.cdiv(n, 1024),)](a, b, o, n, B=1024, num_warps=4)
    return o


if __name__ == "__main__":
    run(*setup())
