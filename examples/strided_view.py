"""Views with holes: every second column (lanes share sectors with unused elements), every second row (fine)."""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

NUM_WARPS = 4


@gluon.jit
def make_contiguous(
    src, dst, row_stride, column_stride, columns, layout: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr
):
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.program_id(1) * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    value = gl.load(src + row[:, None] * row_stride + column[None, :] * column_stride)
    gl.store(dst + row[:, None] * columns + column[None, :], value)


def contiguous(view, tile=(16, 256)):
    lanes = triton.runtime.driver.active.get_current_target().warp_size
    layout = gl.BlockedLayout([1, 4], [1, lanes], [NUM_WARPS, 1], [1, 0])
    dst = torch.empty(view.shape, dtype=view.dtype, device=view.device)
    grid = (view.shape[0] // tile[0], view.shape[1] // tile[1])
    make_contiguous[grid](view, dst, *view.stride(), view.shape[1], layout, *tile, num_warps=NUM_WARPS)
    return dst


def main():
    base = torch.randn(2048, 4096, device="cuda")
    for name, view in (("every second row", base[::2]), ("every second column", base[:, ::2])):
        torch.testing.assert_close(contiguous(view), view.contiguous())
        print(f"{name}: copied")


if __name__ == "__main__":
    main()
