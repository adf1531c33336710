"""Rotary embeddings whose even and odd elements are loaded and stored apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def rope(x, cos, sin, o, H: tl.constexpr, HALF: tl.constexpr, BH: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1) * BH + tl.arange(0, BH)
    i = tl.arange(0, HALF)
    c = tl.load(cos + t * HALF + i)
    s = tl.load(sin + t * HALF + i)
    base = (t * H + h)[:, None] * (2 * HALF)
    even = tl.load(x + base + 2 * i[None, :], mask=h[:, None] < H).to(tl.float32)
    odd = tl.load(x + base + 2 * i[None, :] + 1, mask=h[:, None] < H).to(tl.float32)
    tl.store(o + base + 2 * i[None, :], even * c - odd * s, mask=h[:, None] < H)
    tl.store(o + base + 2 * i[None, :] + 1, odd * c + even * s, mask=h[:, None] < H)


def setup():
    x = torch.randn(27030, 24, 128, device="cuda", dtype=torch.bfloat16)
    cos, sin = (torch.randn(27030, 64, device="cuda") for _ in range(2))
    return x, cos, sin, torch.empty_like(x)


def run(x, cos, sin, o):
    rope[(27030, triton.cdiv(24, 8))](x, cos, sin, o, H=24, HALF=64, BH=8, num_warps=4)
    return o


if __name__ == "__main__":
    run(*setup())
