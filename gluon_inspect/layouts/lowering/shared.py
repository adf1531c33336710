"""Shared memory by a formula: swizzled, rotating (AMD), padded and partitioned."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.tile import Tile, share_of_cta
from gluon_inspect.model.encodings import (
    AmdRotatingSharedEncoding,
    Basis,
    PaddedSharedEncoding,
    PartitionedSharedEncoding,
    SwizzledSharedEncoding,
)

Shape = tuple[int, ...]


def _swizzle_rows(
    encoding: SwizzledSharedEncoding | AmdRotatingSharedEncoding,
    shape: Shape,
    column_of_row: Callable[[int, int], int],
) -> LinearLayout:
    """Columns in order, then rows whose start is moved by `column_of_row(row, columns)`, then the rest."""
    rank, order = len(shape), encoding.order
    share = share_of_cta(shape, encoding.cga)
    tile = Tile.empty(rank, "offset")
    if rank > 1:
        tile = _rows(rank, order, share, column_of_row)
    return tile.fill("offset", order, share).fit(shape, encoding.cga, order)


def _rows(rank: int, order: Sequence[int], share: Sequence[int], column_of_row: Callable[[int, int], int]) -> Tile:
    column_dim, row_dim = order[0], order[1]
    columns, rows = share[column_dim], share[row_dim]
    tile = Tile.empty(rank, "offset").walk("offset", column_dim, columns)
    for bit in range(rows.bit_length() - 1):
        vector = [0] * rank
        vector[row_dim] = 1 << bit
        vector[column_dim] = column_of_row(1 << bit, columns)
        tile.bases["offset"].append(tuple(vector))
    tile.sizes[row_dim] = rows
    return tile


def swizzled(encoding: SwizzledSharedEncoding, shape: Shape) -> LinearLayout:
    """Row r starts at column vec * ((r / per_phase) mod max_phase)."""

    def column(row: int, columns: int) -> int:
        return encoding.vec * (row // encoding.per_phase % encoding.max_phase) % columns

    return _swizzle_rows(encoding, shape, column)


def rotating(encoding: AmdRotatingSharedEncoding, shape: Shape) -> LinearLayout:
    """As swizzled, the phase XORed with the number of the block of max_phase * per_phase rows."""

    def column(row: int, columns: int) -> int:
        phase = row // encoding.per_phase % encoding.max_phase
        block = row // encoding.max_phase // encoding.per_phase % encoding.max_phase
        return encoding.vec * (phase ^ block) % columns

    return _swizzle_rows(encoding, shape, column)


def padded(encoding: PaddedSharedEncoding, shape: Shape) -> LinearLayout:
    """Offsets before padding: the bases as given, or row by row along `order`."""
    if encoding.offset:
        return LinearLayout({"offset": encoding.offset, "block": encoding.block}, shape)
    if encoding.shape and encoding.shape != shape:
        raise LayoutError(f"padded_shared is for the shape {list(encoding.shape)}, not {list(shape)}")
    order = encoding.order or tuple(reversed(range(len(shape))))
    return Tile.empty(len(shape), "offset").fit(shape, encoding.block, order)


def partitioned(
    encoding: PartitionedSharedEncoding,
    shape: Shape,
    lower: Callable[[Shape], LinearLayout],
) -> LinearLayout:
    """Pieces along `dim` dealt to the partitions in turn; `lower` lays out one piece."""
    dim, pieces = encoding.dim, encoding.num_partitions * encoding.num_groups
    if shape[dim] % pieces:
        raise LayoutError(f"{pieces} pieces do not divide dimension {dim} of {list(shape)}")
    piece = lower((*shape[:dim], shape[dim] // pieces, *shape[dim + 1 :]))
    bases: dict[str, list[Basis]] = {name: list(vectors) for name, vectors in piece.bases.items()}
    tile = Tile(len(shape), {**bases, "partition": []}, list(piece.shape))
    tile.walk("partition", dim, encoding.num_partitions).walk("offset", dim, encoding.num_groups)
    return tile.layout(shape)
