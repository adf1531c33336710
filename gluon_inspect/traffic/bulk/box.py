"""Into which boxes a bulk copy is cut: one TMA instruction each.

A box has at most 256 elements a dimension and, where shared memory is swizzled, one swizzle's width along
the contiguous one (CUDA driver API, cuTensorMapEncodeTiled: boxDim, swizzle; as Triton cuts its tiles).
In im2col mode the pixels of a box go up to 1024 (cuTensorMapEncodeIm2col: pixelsPerColumn).
A gather or scatter instruction takes four rows (PTX ISA, cp.async.bulk.tensor, tile::gather4).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.lowering import block_bases
from gluon_inspect.layouts.lowering.nvmma import box_shape
from gluon_inspect.layouts.tile import share_of_cta
from gluon_inspect.model.encodings import Bases, Encoding, NvmmaSharedEncoding, SwizzledSharedEncoding

_BOX_MAX = 256
_PIXELS_MAX = 1024
_ROWS_OF_A_GATHER = 4


@dataclass(frozen=True, slots=True)
class Boxes:
    """How one execution of a copy moves `tile` (all CTAs of a cluster together).

    `box`: elements of one instruction. `ctas`: of the cluster. `copies`: CTAs that get the same elements.
    `known` False: the shared layout is none that TMA writes, so `box` is the whole share of a CTA.
    """

    tile: tuple[int, ...]
    share: tuple[int, ...]
    box: tuple[int, ...]
    ctas: int
    copies: int
    known: bool = True

    @property
    def pieces(self) -> int:
        """Boxes that cover the tile once."""
        return prod(-(-size // part) for size, part in zip(self.tile, self.box, strict=True))


def boxes(
    tile: tuple[int, ...], encoding: Encoding | None, *, gathers: bool = False, pixels: bool = False
) -> Boxes:
    """The boxes of a tile with the shared layout `encoding`. Raises LayoutError where they do not fit."""
    cga = () if encoding is None else block_bases(encoding)
    cga = _of_rank(cga, len(tile))
    share = tuple(share_of_cta(tile, cga))
    box = _box(encoding, share, pixels=pixels)
    if gathers and box is not None:
        box = (min(_ROWS_OF_A_GATHER, share[0]), *box[1:])
    copies = 1 << sum(not any(basis) for basis in cga)
    return Boxes(tile, share, box or share, 1 << len(cga), copies, box is not None)


def _box(encoding: Encoding | None, share: tuple[int, ...], *, pixels: bool) -> tuple[int, ...] | None:
    match encoding:
        case NvmmaSharedEncoding():
            box = box_shape(encoding, share)
        case SwizzledSharedEncoding() if encoding.vec == encoding.per_phase == encoding.max_phase == 1:
            box = [min(size, _BOX_MAX) for size in share]
        case _:
            return None
    if pixels:
        box[0] = min(share[0], _PIXELS_MAX)
    return tuple(box)


def _of_rank(cga: Bases, rank: int) -> Bases:
    """The block bases for a tile of another rank: leading dimensions of size 1 were dropped or added."""
    if not cga or len(cga[0]) == rank:
        return cga
    if len(cga[0]) < rank:
        return tuple((0,) * (rank - len(basis)) + basis for basis in cga)
    if any(any(basis[: len(basis) - rank]) for basis in cga):
        raise LayoutError("a cluster that splits a dimension which the copy drops")
    return tuple(basis[len(basis) - rank :] for basis in cga)
