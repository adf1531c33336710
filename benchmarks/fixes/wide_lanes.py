"""A 1D copy of 16 elements a thread: each request touches twice the lines of one with 4."""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy_1d(src, dst, n, layout: gl.constexpr, BLOCK: gl.constexpr):
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(dst + at, gl.load(src + at, mask=at < n), mask=at < n)


def setup():
    src = torch.randn(1 << 25, device="cuda")
    return src, torch.empty_like(src)


def run(src, dst, per_thread=16):
    layout = gl.BlockedLayout([per_thread], [32], [4], [0])
    copy_1d[(triton.cdiv(src.numel(), 2048),)](src, dst, src.numel(), layout, 2048, num_warps=4)
    return dst


if __name__ == "__main__":
    run(*setup())
