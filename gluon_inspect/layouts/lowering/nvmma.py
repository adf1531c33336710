"""#ttg.nvmma_shared: what TMA writes and WGMMA and tcgen05 read.

Swizzle modes and the 8-row core matrix: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory
Layout" and "Tensor-copy operations: swizzling modes"; TMA boxes are at most 256 long.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.tile import Tile, row_major, share_of_cta
from gluon_inspect.model.encodings import Basis, NvmmaSharedEncoding

Shape = tuple[int, ...]

_CORE_ROWS = 8
_BOX_MAX = 256
_CHUNK_BITS = 128


def nvmma(encoding: NvmmaSharedEncoding, shape: Shape) -> LinearLayout:
    """Boxes of one TMA copy, one after the other; inside, core matrices of 8 swizzled rows."""
    rank, share = len(shape), share_of_cta(shape, encoding.cga)
    box = box_shape(encoding, share)
    # Boxes follow each other along the last dimension first without swizzle, along the first with one.
    order: Sequence[int] = row_major(rank)
    if encoding.swizzle_bytes:
        tile, order = _swizzled_box(encoding, box), range(rank)
    elif encoding.transposed:
        tile = _plain_transposed(box)
    else:
        tile = Tile.empty(rank, "offset").fill("offset", row_major(rank), box)
    return tile.fill("offset", order, share).fit(shape, encoding.cga, order)


def _plain_transposed(box: Sequence[int]) -> Tile:
    """The box without swizzle, dimension 0 contiguous.

    Triton moves the dimensions by position although they are stored last first, so that from rank 3 on
    sizes and dimensions do not match; this is the layout it compiles with, copies and all.
    """
    rank = len(box)
    plain = Tile.empty(rank, "offset").fill("offset", row_major(rank), [*box[1:], box[0]])
    tile = Tile.empty(rank, "offset")
    moved = [_moved(vector) for vector in plain.bases["offset"]]
    return tile.times({"offset": moved})


def _moved(vector: Basis) -> Basis:
    return (*vector[1:], vector[0])


def box_shape(encoding: NvmmaSharedEncoding, share: Sequence[int]) -> list[int]:
    """The part of the tensor that one TMA instruction copies, fp4 values still packed in pairs."""
    contiguous = 0 if encoding.transposed else len(share) - 1
    packing = 2 if encoding.fp4_padded else 1
    box = list(share)
    box[contiguous] *= packing
    box = [min(size, _BOX_MAX) for size in box]
    if encoding.swizzle_bytes:
        row = 8 * encoding.swizzle_bytes // encoding.element_bits
        if box[contiguous] < row:
            raise LayoutError(
                f"nvmma_shared with a {encoding.swizzle_bytes}-byte swizzle needs {row // packing} elements "
                f"along dimension {contiguous}, not {share[contiguous]}"
            )
        box[contiguous] = row
    box[contiguous] //= packing
    return box


def _core_matrix(encoding: NvmmaSharedEncoding) -> Tile:
    """8 rows of `swizzle_bytes`, over (row, column); 16-byte chunks XORed with the row's phase."""
    columns = 8 * max(16, encoding.swizzle_bytes) // encoding.element_bits
    chunk = _CHUNK_BITS // encoding.element_bits
    per_phase = 128 // encoding.swizzle_bytes
    phases = encoding.swizzle_bytes // 16
    packed = _packed_column if encoding.fp4_padded else int
    vectors = [(0, packed(1 << bit)) for bit in range(columns.bit_length() - 1)]
    vectors += [(row, packed(chunk * (row // per_phase % phases))) for row in (1, 2, 4)]
    return Tile(2, {"offset": vectors}, [_CORE_ROWS, columns // (2 if encoding.fp4_padded else 1)])


def _packed_column(padded: int) -> int:
    """Of every 16 offsets the second 8 are padding: they stand for the same columns as the first."""
    return padded // 16 * 8 + padded % 8


def _swizzled_box(encoding: NvmmaSharedEncoding, box: Sequence[int]) -> Tile:
    """The box as a matrix of rows of core matrices, reshaped to the tensor's rank."""
    rows, columns = prod(box[:-1]), box[-1]
    inner = list(box)
    if encoding.transposed:
        rows, columns = columns, rows
        inner = [*box[1:], box[0]]
    tile = _core_matrix(encoding)
    if columns < tile.sizes[1] or rows < tile.sizes[0]:
        raise LayoutError(
            f"nvmma_shared needs at least {tile.sizes[0]} x {tile.sizes[1]} elements, not {rows} x {columns}"
        )
    tile.fill("offset", (0, 1), (rows, columns))
    vectors = [_reshape(vector, columns, inner) for vector in tile.bases["offset"]]
    if encoding.transposed:
        vectors = [(vector[-1], *vector[:-1]) for vector in vectors]
    return Tile(len(box), {"offset": vectors}, list(box))


def _reshape(vector: Basis, columns: int, shape: Sequence[int]) -> Basis:
    """A coordinate of a matrix as the coordinate of the same row-major index in `shape`."""
    index, found = vector[0] * columns + vector[1], list[int]()
    for size in reversed(shape):
        found.append(index % size)
        index //= size
    return tuple(reversed(found))
