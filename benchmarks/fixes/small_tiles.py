"""Small tiles in a layout made for large ones: every warp holds and loads a copy."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy_small(src, dst, layout: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    at = gl.program_id(0) * ROWS * COLUMNS + row[:, None] * COLUMNS + column[None, :]
    gl.store(dst + at, gl.load(src + at))


def setup():
    src = torch.randn(65536, 32, 8, device="cuda")
    return src, torch.empty_like(src)


def run(src, dst):
    layout = gl.BlockedLayout([2, 4], [32, 1], [4, 1], [1, 0])
    copy_small[(src.shape[0],)](src, dst, layout, 32, 8, num_warps=4)
    return dst


if __name__ == "__main__":
    run(*setup())
