"""A copy of 1 GiB, about half a millisecond on an H200: is it timed alike in two runs?"""

from __future__ import annotations

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


# fmt: off
@gluon.jit
def copy_1d(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):  # noqa: ANN001, ANN201, D103
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = offsets < n
    gl.store(dst + offsets, gl.load(src + offsets, mask=mask), mask=mask)
# fmt: on


def main() -> None:
    """One launch."""
    src = torch.rand(1 << 28, device="cuda")
    dst = torch.empty_like(src)
    layout = gl.BlockedLayout([4], [32], [4], [0])
    copy_1d[(triton.cdiv(src.numel(), 2048),)](src, dst, src.numel(), 2048, layout, num_warps=4)
    torch.testing.assert_close(dst, src)


if __name__ == "__main__":
    main()
