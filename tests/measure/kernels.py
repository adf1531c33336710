"""Launches of several kinds for the tests of replay: pointers and masks, a gather, a host-side descriptor."""

from __future__ import annotations

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

copy_in = getattr(tma, "async_load", tma.async_copy_global_to_shared)
"""Triton's newer name, or the one that 3.6 has."""


@gluon.jit
def copy(src, dst, n, factor, BLOCK: gl.constexpr, layout: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = offsets < n
    gl.store(dst + offsets, gl.load(src + offsets, mask=mask) * factor, mask=mask)


@gluon.jit
def gather(index, src, dst, layout: gl.constexpr):
    offsets = gl.program_id(0) * 128 + gl.arange(0, 128, layout=layout)
    gl.store(dst + offsets, gl.load(src + gl.load(index + offsets)))


@gluon.jit
def tile(src, dst, layout: gl.constexpr):
    memory = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    barrier = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(barrier, count=1)
    mbarrier.expect(barrier, src.block_type.nbytes)
    copy_in(src, [gl.program_id(0) * 32, 0], barrier, memory)
    mbarrier.wait(barrier, 0)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    place = dst + (gl.program_id(0) * 32 + rows)[:, None] * 32 + columns[None, :]
    gl.store(place, memory.load(layout))


def main() -> None:
    line = gl.BlockedLayout([1], [32], [4], [0])
    src = torch.rand(4096, device="cuda")
    copy[(16,)](src[1:], src, 4000, 2.5, 256, line, num_warps=4)
    index = torch.arange(255, -1, -1, device="cuda", dtype=torch.int32)
    gather[(2,)](index, src, torch.empty(256, device="cuda"), line, num_warps=4)
    matrix = torch.rand(64, 32, device="cuda")
    shared = gl.NVMMASharedLayout.get_default_for([32, 32], gl.float32)
    described = TensorDescriptor.from_tensor(matrix, [32, 32], shared)
    square = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    tile[(2,)](described, torch.empty(64, 32, device="cuda"), square, num_warps=4)


if __name__ == "__main__":
    main()
