"""Tensor memory (Blackwell): 128 rows of 512 columns of 32 bits.

Data layouts: PTX ISA, "tcgen05 Tensor Memory Layouts and Organization"; scales: "Scale Factor A/B layouts".
A zero row basis is a copy (rows 32 and 64 of scales) or a row that holds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.tile import Tile, share_of_cta
from gluon_inspect.model.encodings import TensorMemoryEncoding, TensorMemoryScalesEncoding

Shape = tuple[int, ...]

_SCALES_BLOCK_ROWS = 128


def tensor_memory(encoding: TensorMemoryEncoding, shape: Shape) -> LinearLayout:
    """Blocks of `block_m` rows by `block_n` columns, repeated over further columns, M first."""
    share = share_of_cta(shape, encoding.cga)
    if len(shape) != 2 or encoding.block_m not in (64, 128):
        raise LayoutError(f"tensor memory holds matrices in blocks of 64 or 128 rows, not {encoding.block_m}")
    columns = min(encoding.block_n, share[1])
    # Padded fp4 values take a byte each: every other one is padding.
    tile = Tile.empty(2, "row", "col").copy("col", encoding.col_stride * (1 + encoding.fp4_padded))
    if encoding.block_m == 64 and not encoding.two_ctas:
        _half_rows(tile, columns, share)
    else:
        tile.walk("row", 0, encoding.block_m).walk("col", 1, columns)
        if encoding.block_m == 64:
            # Two CTAs, M = 64 each: the upper rows hold the right half of the columns.
            tile.bases["row"].append(tile.bases["col"].pop())
    tile.walk("col", 0, share[0] // tile.sizes[0]).walk("col", 1, share[1] // tile.sizes[1])
    return tile.times({"block": encoding.cga}).layout(shape)


def _half_rows(tile: Tile, columns: int, share: Sequence[int]) -> None:
    """M = 64: a warp uses 16 of its 32 rows; the other 16 take the next block, or nothing."""
    tile.walk("row", 0, 16).walk("col", 1, columns)
    if share[0] > 64:
        spare = (64, 0)
        tile.sizes[0] = 128
    elif share[1] > columns:
        spare = (0, columns)
        tile.sizes[0], tile.sizes[1] = 64, 2 * columns
    else:
        spare = (0, 0)
        tile.sizes[0] = 64
    tile.bases["row"] += [spare, (16, 0), (32, 0)]


def tensor_memory_scales(encoding: TensorMemoryScalesEncoding, shape: Shape) -> LinearLayout:
    """32 rows, copied for each of four warps; 4 scales side by side along K."""
    share = share_of_cta(shape, encoding.cga)
    tile = Tile.empty(2, "row", "col").walk("row", 0, 32).copy("row", 4)
    tile.walk("col", 1, 4).walk("col", 0, 2)
    order = (0, 1)
    if encoding.block_rep_order == "kThenMn":
        order = (1, 0)
        tile.walk("col", 0, 2 if share[0] >= _SCALES_BLOCK_ROWS else 1)
    for dim in order:
        tile.walk("col", dim, -(-share[dim] // tile.sizes[dim]))
    return tile.clip(share).times({"block": encoding.cga}).layout(shape)
