"""A copy of transposed tensors in a layout for row-major ones; a function passes the layout on."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

ALONG_ROWS = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])


@gluon.jit
def copy_strided(
    src, dst, row_stride, column_stride, layout: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr
):
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.program_id(1) * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    at = row[:, None] * row_stride + column[None, :] * column_stride
    gl.store(dst + at, gl.load(src + at))


def setup():
    src = torch.randn(4096, 8192, device="cuda").T
    return src, torch.empty(4096, 8192, device="cuda").T


def run(src, dst, layout=ALONG_ROWS):
    grid = (src.shape[0] // 64, src.shape[1] // 64)
    copy_strided[grid](src, dst, *src.stride(), layout, 64, 64, num_warps=4)
    return dst


if __name__ == "__main__":
    run(*setup())
