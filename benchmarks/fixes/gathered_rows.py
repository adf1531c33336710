"""An embedding: rows by index, each lane at the same column of another row."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def gather_rows(table, index, dst, WIDTH: gl.constexpr, ROWS: gl.constexpr, num_warps: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [32, 1], [num_warps, 1], [1, 0])
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.program_id(1) * 128 + gl.arange(0, 128, layout=gl.SliceLayout(0, layout))
    chosen = gl.load(index + row)
    gl.store(
        dst + row[:, None] * WIDTH + column[None, :], gl.load(table + chosen[:, None] * WIDTH + column[None, :])
    )


def setup():
    table = torch.randn(65536, 512, device="cuda")
    index = torch.arange(65536, device="cuda", dtype=torch.int32).flip(0).contiguous()
    return table, index, torch.empty_like(table)


def run(table, index, dst):
    gather_rows[(index.numel() // 128, 4)](table, index, dst, 512, 128, num_warps=4)
    return dst


if __name__ == "__main__":
    run(*setup())
