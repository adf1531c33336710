"""The first thing people write: one element a step. Every lane of every warp loads the same element."""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy_by_element(src, dst, n, BLOCK: gl.constexpr):
    start = gl.program_id(0) * BLOCK
    end = min(start + BLOCK, n)
    for i in range(start, end):
        value = gl.load(src + i)
        gl.store(dst + i, value)


def main():
    src = torch.randn(64 * 1024, device="cuda")
    dst = torch.empty_like(src)
    block = 512
    copy_by_element[(triton.cdiv(src.numel(), block),)](src, dst, src.numel(), block)
    torch.testing.assert_close(dst, src)
    print(f"copied {src.numel()} elements, one at a time")


if __name__ == "__main__":
    main()
