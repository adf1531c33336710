"""A matrix product on Hopper's tensor cores: waiting for each WGMMA at once, or while the next tiles load."""

# ruff: noqa: RUF005 (jitted code takes no starred lists)
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_init,
    warpgroup_mma_wait,
)
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

BLOCK_M, BLOCK_N, BLOCK_K = 64, 128, 64
NUM_WARPS = 4

# Triton 3.6 has these under longer names only
copy_in = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared
copy_out = getattr(tma, "async_store", None) or tma.async_copy_shared_to_global


@gluon.jit
def wgmma_matmul(a_desc, b_desc, c_desc, overlap: gl.constexpr):
    BLOCK_M: gl.constexpr = c_desc.block_type.shape[0]
    BLOCK_N: gl.constexpr = c_desc.block_type.shape[1]
    BLOCK_K: gl.constexpr = a_desc.block_type.shape[1]
    off_m = gl.program_id(0) * BLOCK_M
    off_n = gl.program_id(1) * BLOCK_N
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [2] + a_desc.block_type.shape, a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [2] + b_desc.block_type.shape, b_desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mma: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BLOCK_N, 16])
    acc = warpgroup_mma_init(gl.zeros([BLOCK_M, BLOCK_N], gl.float32, mma))
    index = 0
    phase = 0
    for k in range(0, a_desc.shape[1], BLOCK_K):
        mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
        copy_in(a_desc, [off_m, k], bar, a_tiles.index(index))
        copy_in(b_desc, [k, off_n], bar, b_tiles.index(index))
        mbarrier.wait(bar, phase=phase)
        phase ^= 1
        if overlap:
            # the MMA before this one ran while these tiles were loaded
            acc = warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
            acc = warpgroup_mma(a_tiles.index(index), b_tiles.index(index), acc, is_async=True)
        else:
            acc = warpgroup_mma(a_tiles.index(index), b_tiles.index(index), acc, is_async=True)
            acc = warpgroup_mma_init(warpgroup_mma_wait(num_outstanding=0, deps=(acc,)))
        index ^= 1
    acc = warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
    mbarrier.invalidate(bar)
    tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    tile.store(acc.to(c_desc.dtype))
    fence_async_shared()
    copy_out(c_desc, [off_m, off_n], tile)
    tma.store_wait(pendings=0)


def descriptor(tensor, block):
    return TensorDescriptor.from_tensor(tensor, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))


def matmul(a, b, c, overlap):
    grid = (c.shape[0] // BLOCK_M, c.shape[1] // BLOCK_N)
    a_desc = descriptor(a, [BLOCK_M, BLOCK_K])
    b_desc = descriptor(b, [BLOCK_K, BLOCK_N])
    c_desc = descriptor(c, [BLOCK_M, BLOCK_N])
    wgmma_matmul[grid](a_desc, b_desc, c_desc, overlap, num_warps=NUM_WARPS)


def main():
    if torch.cuda.get_device_capability()[0] != 9:
        print("WGMMA is Hopper's: nothing to run")
        return
    a = torch.randn(1024, 512, device="cuda", dtype=torch.float16)
    b = torch.randn(512, 1024, device="cuda", dtype=torch.float16)
    for overlap in (True, False):
        c = torch.empty(1024, 1024, device="cuda", dtype=torch.float16)
        matmul(a, b, c, overlap)
        torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=1e-1)
        print("waits late" if overlap else "waits at once")


if __name__ == "__main__":
    main()
