"""A warp-specialised matrix product for Blackwell: one partition loads, one starts MMAs, the rest stores.

    gluon-inspect report examples/blackwell/tcgen05_matmul.py --target cuda:100

`eager` makes the MMA partition wait for each MMA instead of letting its commit free the buffers; with one stage
each copy waits for the MMA that reads the tile before it.
"""

# ruff: noqa: ARG001, RUF005 (partitions share one signature; jitted code takes no starred lists)
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout,
    allocate_tensor_memory,
    tcgen05_commit,
    tcgen05_mma,
)
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

BLOCK_M, BLOCK_N, BLOCK_K = 128, 128, 64
STAGES = 3


@gluon.jit
def load_tiles(a_desc, b_desc, c_desc, a_tiles, b_tiles, ready, empty, done, acc, eager: gl.constexpr):
    off_m = gl.program_id(0) * a_desc.block_type.shape[0]
    off_n = gl.program_id(1) * b_desc.block_type.shape[1]
    stages: gl.constexpr = a_tiles.shape[0]
    for i in range(a_desc.shape[1] // a_desc.block_type.shape[1]):
        stage = i % stages
        mbarrier.wait(empty.index(stage), (i // stages & 1) ^ 1)
        bar = ready.index(stage)
        mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
        tma.async_load(a_desc, [off_m, i * a_desc.block_type.shape[1]], bar, a_tiles.index(stage))
        tma.async_load(b_desc, [i * a_desc.block_type.shape[1], off_n], bar, b_tiles.index(stage))


@gluon.jit
def multiply(a_desc, b_desc, c_desc, a_tiles, b_tiles, ready, empty, done, acc, eager: gl.constexpr):
    stages: gl.constexpr = a_tiles.shape[0]
    use_acc = False
    for i in range(a_desc.shape[1] // a_desc.block_type.shape[1]):
        stage = i % stages
        mbarrier.wait(ready.index(stage), i // stages & 1)
        tcgen05_mma(a_tiles.index(stage), b_tiles.index(stage), acc, use_acc=use_acc)
        bar = empty.index(stage)
        tcgen05_commit(bar)
        if eager:
            mbarrier.wait(bar, i // stages & 1)
        use_acc = True
    tcgen05_commit(done)


@gluon.jit
def store_tile(a_desc, b_desc, c_desc, a_tiles, b_tiles, ready, empty, done, acc, eager: gl.constexpr):
    off_m = gl.program_id(0) * c_desc.block_type.shape[0]
    off_n = gl.program_id(1) * c_desc.block_type.shape[1]
    mbarrier.wait(done, 0)
    tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    tile.store(acc.load().to(c_desc.dtype))
    fence_async_shared()
    tma.async_store(c_desc, [off_m, off_n], tile)
    tma.store_wait(pendings=0)


@gluon.jit
def tcgen05_matmul(a_desc, b_desc, c_desc, stages: gl.constexpr, eager: gl.constexpr):
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [stages] + a_desc.block_type.shape, a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [stages] + b_desc.block_type.shape, b_desc.layout)
    ready = gl.allocate_shared_memory(gl.int64, [stages, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [stages, 1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    for i in gl.static_range(stages):
        mbarrier.init(ready.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    mbarrier.init(done, count=1)
    memory: gl.constexpr = TensorMemoryLayout(c_desc.block_type.shape, col_stride=1)
    acc = allocate_tensor_memory(gl.float32, c_desc.block_type.shape, memory)
    shared = (a_desc, b_desc, c_desc, a_tiles, b_tiles, ready, empty, done, acc, eager)
    gl.warp_specialize([(store_tile, shared), (load_tiles, shared), (multiply, shared)], [1, 1], [24, 24])


def descriptor(tensor, block):
    return TensorDescriptor.from_tensor(tensor, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))


def matmul(a, b, c, stages, eager):
    grid = (c.shape[0] // BLOCK_M, c.shape[1] // BLOCK_N)
    a_desc = descriptor(a, [BLOCK_M, BLOCK_K])
    b_desc = descriptor(b, [BLOCK_K, BLOCK_N])
    c_desc = descriptor(c, [BLOCK_M, BLOCK_N])
    tcgen05_matmul[grid](a_desc, b_desc, c_desc, stages, eager, num_warps=4)


def main():
    a = torch.randn(1024, 512, device="cuda", dtype=torch.float16)
    b = torch.randn(512, 1024, device="cuda", dtype=torch.float16)
    for stages, eager in ((STAGES, False), (STAGES, True), (1, False)):
        c = torch.empty(1024, 1024, device="cuda", dtype=torch.float16)
        matmul(a, b, c, stages, eager)
        torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=1e-1)
        print(f"{stages} stages,", "waits for each MMA" if eager else "commits free the buffers")


if __name__ == "__main__":
    main()
