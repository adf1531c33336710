"""The tutorial's copies at the tutorial's sizes, for `gluon-inspect report benchmarks/headline.py --measure`.

8 GiB in, 8 GiB out. Each launch is one row of the table that `benchmarks/headline_table.py` prints.
"""

from __future__ import annotations

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

NUM_WARPS = 4
ROWS, COLUMNS = 32 * 1024, 64 * 1024


# fmt: off
@gluon.jit
def memcpy_1d(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):  # noqa: ANN001, ANN201, D103
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = offsets < n
    gl.store(dst + offsets, gl.load(src + offsets, mask=mask), mask=mask)


@gluon.jit
def memcpy_2d(src, dst, nx, ny, sx, sy, dx, dy, layout: gl.constexpr, XB: gl.constexpr, YB: gl.constexpr):  # noqa: ANN001, ANN201, D103
    ix = gl.program_id(0) * XB + gl.arange(0, XB, layout=gl.SliceLayout(1, layout))
    iy = gl.program_id(1) * YB + gl.arange(0, YB, layout=gl.SliceLayout(0, layout))
    mask = (ix[:, None] < nx) & (iy[None, :] < ny)
    value = gl.load(src + ix[:, None] * sx + iy[None, :] * sy, mask=mask)
    gl.store(dst + ix[:, None] * dx + iy[None, :] * dy, value, mask=mask)


@gluon.jit
def memcpy_2d_convert(src, dst, nx, ny, sx, sy, dx, dy, lin: gl.constexpr, lout: gl.constexpr, XB: gl.constexpr, YB: gl.constexpr):  # noqa: ANN001, ANN201, D103, E501
    px, py = gl.program_id(0) * XB, gl.program_id(1) * YB
    ix = px + gl.arange(0, XB, layout=gl.SliceLayout(1, lin))
    iy = py + gl.arange(0, YB, layout=gl.SliceLayout(0, lin))
    value = gl.load(src + ix[:, None] * sx + iy[None, :] * sy, mask=(ix[:, None] < nx) & (iy[None, :] < ny))
    value = gl.convert_layout(value, lout)
    ox = px + gl.arange(0, XB, layout=gl.SliceLayout(1, lout))
    oy = py + gl.arange(0, YB, layout=gl.SliceLayout(0, lout))
    gl.store(dst + ox[:, None] * dx + oy[None, :] * dy, value, mask=(ox[:, None] < nx) & (oy[None, :] < ny))
# fmt: on


def _one(src: torch.Tensor, dst: torch.Tensor) -> None:
    n = src.numel()
    for block in (1024, 2048, 8192):
        for elements in (1, 2, 4, 8, 16):
            layout = gl.BlockedLayout([elements], [32], [NUM_WARPS], [0])
            memcpy_1d[(triton.cdiv(n, block),)](src, dst, n, block, layout, num_warps=NUM_WARPS)


def _two(src: torch.Tensor, dst: torch.Tensor, layout: gl.BlockedLayout, block: tuple[int, int]) -> None:
    grid = (triton.cdiv(src.shape[0], block[0]), triton.cdiv(src.shape[1], block[1]))
    strides = (*src.stride(), *dst.stride())
    memcpy_2d[grid](src, dst, *src.shape, *strides, layout, *block, num_warps=NUM_WARPS)


def _converted(src: torch.Tensor, dst: torch.Tensor, block: tuple[int, int]) -> None:
    grid = (triton.cdiv(src.shape[0], block[0]), triton.cdiv(src.shape[1], block[1]))
    lin = gl.BlockedLayout([1, 1], [1, 32], [1, NUM_WARPS], [1, 0])
    lout = gl.BlockedLayout([1, 1], [32, 1], [NUM_WARPS, 1], [0, 1])
    strides = (*src.stride(), *dst.stride())
    memcpy_2d_convert[grid](src, dst, *src.shape, *strides, lin, lout, *block, num_warps=NUM_WARPS)


def main() -> None:
    """Every launch of the table, in its order."""
    src = torch.rand(ROWS * COLUMNS, device="cuda")
    dst = torch.empty_like(src)
    _one(src, dst)
    rows, columns = (
        gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0]),
        gl.BlockedLayout([1, 1], [32, 1], [4, 1], [0, 1]),
    )
    a, b = src.view(ROWS, COLUMNS), dst.view(ROWS, COLUMNS)
    _two(a, b, rows, (1, 2048))
    _two(a.T, b.T, rows, (1, 2048))
    _two(a.T, b.T, columns, (2048, 1))
    half = dst[: ROWS * COLUMNS // 2].view(ROWS // 2, COLUMNS)
    _two(a[::2], half, rows, (1, 2048))
    _two(a.T[:, ::2], half.T, columns, (2048, 1))
    # the longer side first: a grid has at most 65,535 programs along y
    tall, other = src.view(COLUMNS, ROWS), dst.view(ROWS, COLUMNS).T
    _two(tall, other, rows, (1, 2048))
    _two(tall, other, columns, (2048, 1))
    for block in ((128, 64), (64, 64), (128, 128)):
        _converted(tall, other, block)


if __name__ == "__main__":
    main()
