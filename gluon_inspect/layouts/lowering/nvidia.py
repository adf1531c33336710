"""NVIDIA tensor cores: register layouts of mma (version 2) and wgmma (version 3), and their operands.

Fragment shapes: PTX ISA, "Matrix Fragments for mma" and "Register Fragments for wgmma.mma_async".
"""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.tile import Tile, column_major, row_major
from gluon_inspect.model.encodings import Bases, NvidiaMmaEncoding

Shape = tuple[int, ...]

_LANES_INNER = 4
_LANES_OUTER = 8
_RESULT_K_WIDTH = 2
_OPERAND_N = 8


def _fragment(tile_shape: Sequence[int], k_width: int, inner: int, outer: int) -> Tile:
    """One instruction's matrix: 4 lanes of `k_width` elements along `inner`, 8 lanes along `outer`."""
    tile = Tile.registers(len(tile_shape))
    tile.walk("register", inner, k_width)
    tile.walk("lane", inner, _LANES_INNER).walk("lane", outer, _LANES_OUTER)
    tile.walk("register", outer, tile_shape[outer] // _LANES_OUTER)
    return tile.walk("register", inner, tile_shape[inner] // (k_width * _LANES_INNER))


def _warp_order(encoding: NvidiaMmaEncoding, rank: int) -> tuple[int, ...]:
    """A warp group of wgmma stacks its warps along M; mma's warps run along N first."""
    return column_major(rank) if encoding.version_major == 3 else row_major(rank)


def _check(encoding: NvidiaMmaEncoding) -> None:
    if encoding.version_major not in (2, 3):
        raise LayoutError(
            f"nvidia_mma version {encoding.version_major} has no register layout",
            hint="tcgen05 keeps its accumulator in tensor memory; versions 2 and 3 use registers",
        )


def mma(encoding: NvidiaMmaEncoding, shape: Shape) -> LinearLayout:
    """The accumulator; `instr_shape` is M x N (version 2, with leading 1s) or M x N x K (version 3)."""
    _check(encoding)
    rank = len(shape)
    tile_shape = encoding.instr_shape[:2] if encoding.version_major == 3 else encoding.instr_shape
    tile = _fragment(tile_shape, _RESULT_K_WIDTH, inner=rank - 1, outer=rank - 2)
    tile.walk_all("warp", encoding.warps_per_cta, _warp_order(encoding, rank))
    return tile.fit(shape, encoding.cga, row_major(rank))


def mma_operand(encoding: NvidiaMmaEncoding, op_idx: int, k_width: int, shape: Shape, cga: Bases) -> LinearLayout:
    """Operand A or B in registers: `k_width` contiguous elements along K, warps along K hold copies."""
    _check(encoding)
    rank = len(shape)
    k_dim, other = (rank - 1, rank - 2) if op_idx == 0 else (rank - 2, rank - 1)
    instr_m = encoding.instr_shape[rank - 2]
    tile_shape = [1] * rank
    # m8n8k4 on fp64 reads half as far along K as every other instruction.
    tile_shape[k_dim] = k_width * (4 if instr_m == 8 else 8)
    tile_shape[other] = instr_m if op_idx == 0 else _OPERAND_N
    tile = _fragment(tile_shape, k_width, inner=k_dim, outer=other)
    tile.walk_all("warp", encoding.warps_per_cta, _warp_order(encoding, rank), copied=k_dim)
    return tile.fit(shape, cga, (k_dim, other, *range(rank - 2)))
