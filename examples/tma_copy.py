"""A tile copied by TMA and read by columns: with the descriptor's swizzle, and without any.

The shared layout that the descriptor names decides what reads of the tile cost: without a swizzle, the lanes
of a warp that walk down a column want the same bank.
"""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

# Triton 3.6 has these under longer names only
copy_in = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared
TILE = (64, 32)


@gluon.jit
def transpose_tile(src, dst, dst_stride, layout: gl.constexpr):
    ROWS: gl.constexpr = src.block_type.shape[0]
    COLUMNS: gl.constexpr = src.block_type.shape[1]
    x = gl.program_id(0) * ROWS
    y = gl.program_id(1) * COLUMNS
    tile = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, src.block_type.nbytes)
    copy_in(src, [x, y], bar, tile)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    row = x + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = y + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    gl.store(dst + column[None, :] * dst_stride + row[:, None], tile.load(layout))


def transpose(src, dst, swizzle):
    shared = gl.NVMMASharedLayout(swizzle_byte_width=swizzle, element_bitwidth=32, rank=2)
    by_columns = gl.BlockedLayout([1, 1], [8, 4], [4, 1], [0, 1])
    descriptor = TensorDescriptor.from_tensor(src, list(TILE), shared)
    grid = (triton.cdiv(src.shape[0], TILE[0]), triton.cdiv(src.shape[1], TILE[1]))
    transpose_tile[grid](descriptor, dst, dst.stride(0), by_columns)


def main():
    src = torch.randn(1024, 1024, device="cuda")
    for swizzle in (128, 0):
        dst = torch.empty(1024, 1024, device="cuda")
        transpose(src, dst, swizzle)
        torch.testing.assert_close(dst, src.T)
        print(f"swizzle of {swizzle} bytes")


if __name__ == "__main__":
    main()
