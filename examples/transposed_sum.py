"""A reduction over a transposed tensor, as a fusing compiler writes it, and the same with its tile turned.

Rows of a transposed tensor lie `rows` elements apart. A reduction that puts its lanes along the axis that it sums,
which is right for a row-major tensor, then takes one sector a lane; with the lanes along the axis that is
contiguous, each warp reads whole lines. A public report of this in generated code was 2.8 times slower.
"""

import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 4096, 4096


@triton.jit
def sum_along_lanes(src, dst, row_stride, column_stride, columns, TILE: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([TILE], tl.float32)
    for start in range(0, columns, TILE):
        column = start + tl.arange(0, TILE)
        total += tl.load(src + row * row_stride + column * column_stride)
    tl.store(dst + row, tl.sum(total))


@triton.jit
def sum_of_tiles(src, dst, row_stride, column_stride, columns, TILE: tl.constexpr, STEP: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    total = tl.zeros([TILE, STEP], tl.float32)
    for start in range(0, columns, STEP):
        column = start + tl.arange(0, STEP)
        total += tl.load(src + row[:, None] * row_stride + column[None, :] * column_stride)
    tl.store(dst + row, tl.sum(total, 1))


def main():
    src = torch.randn(COLUMNS, ROWS, device="cuda").T
    wanted, dst = src.sum(1), torch.empty(ROWS, device="cuda")
    sum_along_lanes[(ROWS,)](src, dst, *src.stride(), COLUMNS, TILE=512)
    torch.testing.assert_close(dst, wanted, rtol=1e-3, atol=1e-2)
    print("lanes along the sum: summed, slowly")
    sum_of_tiles[(ROWS // 32,)](src, dst, *src.stride(), COLUMNS, TILE=32, STEP=64)
    torch.testing.assert_close(dst, wanted, rtol=1e-3, atol=1e-2)
    print("tiles with lanes along memory: summed")


if __name__ == "__main__":
    main()
