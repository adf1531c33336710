"""A small tensor in a layout made for a large one: every warp holds a full copy and loads it."""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

NUM_WARPS = 4


@gluon.jit
def copy_small_tiles(src, dst, layout: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    offsets = gl.program_id(0) * ROWS * COLUMNS + row[:, None] * COLUMNS + column[None, :]
    value = gl.load(src + offsets)
    gl.store(dst + offsets, value)


def main():
    lanes = triton.runtime.driver.active.get_current_target().warp_size
    rows, columns, tiles = 32, 8, 4096
    # One warp's part of this layout is 2 x lanes rows by 4 columns: 32 rows do not fill even one.
    layout = gl.BlockedLayout([2, 4], [lanes, 1], [NUM_WARPS, 1], [1, 0])
    src = torch.randn(tiles, rows, columns, device="cuda")
    dst = torch.empty_like(src)
    copy_small_tiles[(tiles,)](src, dst, layout, rows, columns, num_warps=NUM_WARPS)
    torch.testing.assert_close(dst, src)
    print(f"copied {tiles} tiles of {rows}x{columns}")


if __name__ == "__main__":
    main()
