"""The sum of each row: coalesced loads, then a reduction across registers, lanes and, if it must, warps."""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

NUM_WARPS = 4


@gluon.jit
def row_sum(src, dst, row_stride, layout: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    value = gl.load(src + row[:, None] * row_stride + column[None, :])
    gl.store(dst + row, gl.sum(value, axis=1))


def main():
    lanes = triton.runtime.driver.active.get_current_target().warp_size
    src = torch.randn(4096, 1024, device="cuda")
    layouts = {
        "a warp a row": gl.BlockedLayout([1, 4], [1, lanes], [NUM_WARPS, 1], [1, 0]),
        "all warps a row": gl.BlockedLayout([1, 4], [1, lanes], [1, NUM_WARPS], [1, 0]),
    }
    rows = 4
    for name, layout in layouts.items():
        dst = torch.empty(src.shape[0], device="cuda")
        row_sum[(src.shape[0] // rows,)](src, dst, src.stride(0), layout, rows, src.shape[1], num_warps=NUM_WARPS)
        torch.testing.assert_close(dst, src.sum(dim=1), rtol=1e-4, atol=1e-3)
        print(f"{name}: summed")


if __name__ == "__main__":
    main()
