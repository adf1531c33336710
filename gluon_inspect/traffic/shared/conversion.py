"""A change of layout: what it needs (nothing, registers, shuffles, shared memory, the cluster) and how.

Rules: triton-lang/triton 3.6, lib/Analysis/Utility.cpp (`minimalCvtLayout`, `cvtNeedsWarpShuffle`) and
the NVIDIA backend's ConvertLayoutOpToLLVM.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts import gf2
from gluon_inspect.model.access import ConversionKind
from gluon_inspect.targets import find
from gluon_inspect.traffic.shared.flat import FlatLayout
from gluon_inspect.traffic.shared.swizzle import NVIDIA, Banks, Scratch, Tile, scratch_layout
from gluon_inspect.traffic.shared.transfer import Transfer, matrix_transfer, vector_transfer

_DIMS = ("register", "lane", "warp", "block")
_MOST_TRANSPOSITIONS = 1


@dataclass(frozen=True, slots=True)
class MatrixSupport:
    """Whether the target has ldmatrix (cuda:75 on) and stmatrix (cuda:90 on)."""

    load: bool
    store: bool
    lds: str = ""
    """The AMD target whose LDS it is about; empty on NVIDIA."""


@dataclass(frozen=True, slots=True)
class ScratchTransfer:
    """A conversion through shared memory: the same store and load, `repetitions` times."""

    scratch: Scratch
    store: Transfer
    load: Transfer
    scratch_bytes: int
    within_warps: bool

    @property
    def repetitions(self) -> int:
        """How often the scratch is written and read."""
        return self.scratch.repetitions

    @property
    def barriers(self) -> int:
        """CTA-wide barriers (none where each warp reads what it wrote itself)."""
        return 0 if self.within_warps else 2 * self.repetitions - 1


Moves = dict[str, tuple[tuple[str, int], ...]]


def _dim_bases(layout: FlatLayout, name: str) -> tuple[int, ...]:
    return {"register": layout.register, "lane": layout.lane, "warp": layout.warp, "block": layout.block}[name]


def _map_between(inner: FlatLayout, outer: FlatLayout) -> dict[str, list[dict[str, int]]]:
    """For every input bit of `inner`, where `outer` has that element: bits by input dimension.

    Dimensions whose bases agree map to themselves; others to the first place that holds the element.
    """
    same = {name for name in _DIMS if _dim_bases(inner, name) == _dim_bases(outer, name)}
    names = [name for name in _DIMS if name not in same]
    columns = [basis for name in names for basis in _dim_bases(outer, name)]
    form = gf2.echelon(columns)
    result: dict[str, list[dict[str, int]]] = {}
    for name in _DIMS:
        bases = _dim_bases(inner, name)
        if name in same:
            result[name] = [{name: 1 << bit} for bit in range(len(bases))]
            continue
        result[name] = [_split(form.reduce(basis), names, outer) for basis in bases]
    return result


def _split(reduced: tuple[int, int], names: Sequence[str], outer: FlatLayout) -> dict[str, int]:
    remainder, combination = reduced
    if remainder:
        raise LayoutError("the two layouts hold different elements")
    parts: dict[str, int] = {}
    for name in names:
        width = len(_dim_bases(outer, name))
        part = combination & ((1 << width) - 1)
        if part:
            parts[name] = part
        combination >>= width
    return parts


def _is_identity(moves: dict[str, list[dict[str, int]]], name: str) -> bool:
    """Whether a dimension maps to itself and no other dimension maps to it."""
    own = all(move == {name: 1 << bit} for bit, move in enumerate(moves[name]))
    return own and not any(name in move for other in _DIMS if other != name for move in moves[other])


def conversion_kind(source: FlatLayout, target: FlatLayout) -> ConversionKind:
    """What moves between two layouts of the same tensor. Raises LayoutError where the elements differ."""
    moves = _map_between(target, source)
    if not _is_identity(moves, "block"):
        return ConversionKind.CLUSTER
    if not _is_identity(moves, "warp"):
        return ConversionKind.SHARED
    if not _is_identity(moves, "lane"):
        few = mixed_transpositions(source, target) <= _MOST_TRANSPOSITIONS
        return ConversionKind.SHUFFLE if few else ConversionKind.SHARED
    return ConversionKind.TRIVIAL if _is_identity(moves, "register") else ConversionKind.REGISTER


def _padded(layout: FlatLayout, registers: int, lanes: int) -> FlatLayout:
    """Registers and lanes only, filled up with copies to the given numbers of bits."""
    kept = layout.without_register_copies
    register = kept.register + (0,) * (registers - len(kept.register))
    return FlatLayout(register, kept.lane + (0,) * (lanes - len(kept.lane)), (), (), layout.bits)


def mixed_transpositions(source: FlatLayout, target: FlatLayout) -> int:
    """How many register bits must change places with lane bits within a warp.

    Triton shuffles for at most one and goes through shared memory for more.
    """
    sides = (source.without_register_copies, target.without_register_copies)
    registers = max(len(side.register) for side in sides)
    lanes = max(len(side.lane) for side in sides)
    first, second = (_padded(side, registers, lanes) for side in sides)
    moves = _map_between(first, second)
    moved = [move for move, basis in zip(moves["register"], first.register, strict=True) if basis]
    crossing = sum(1 for move in moved if "lane" in move)
    return crossing + _copies_that_cross(first, second)


def _copies_that_cross(first: FlatLayout, second: FlatLayout) -> int:
    """Free register bits of the source whose counterpart among the target's free bits is a lane."""

    def places(layout: FlatLayout, other: FlatLayout) -> list[str]:
        pairs = [("register", a, b) for a, b in zip(layout.register, other.register, strict=True)]
        pairs += [("lane", a, b) for a, b in zip(layout.lane, other.lane, strict=True)]
        return [name for name, mine, its in pairs if not mine and its]

    matched = zip(places(first, second), places(second, first), strict=False)
    return sum(1 for mine, its in matched if mine == "register" and its == "lane")


def _is_warp_private(source: FlatLayout, target: FlatLayout) -> bool:
    """Every warp reads only what it wrote, and no warp holds copies: a warp barrier is enough."""
    moves = _map_between(target, source)
    free = [0 in _dim_bases(side, name) for side in (source, target) for name in ("warp", "block")]
    return _is_identity(moves, "warp") and _is_identity(moves, "block") and not any(free)


def through_scratch(
    source: FlatLayout, target: FlatLayout, element_bits: int, support: MatrixSupport
) -> ScratchTransfer:
    """The stores and loads of a conversion within a CTA, as Triton lowers it.

    `source`, `target`: flat, over the same tensor. `element_bits`: 1 counts as 8, as the compiler widens it.
    """
    bits = max(element_bits, 8)
    source = replace(source, block=()).without_register_copies
    target = replace(target, block=()).without_register_copies
    scratch = scratch_layout(source, target, bits, support.store, support.load, _banks(support))
    store = _one_side(source, scratch, bits, scratch.store, store=True)
    load = _one_side(target, scratch, bits, scratch.load, store=False)
    bytes_needed = scratch.elements * bits // 8
    return ScratchTransfer(scratch, store, load, bytes_needed, _is_warp_private(source, target))


def _banks(support: MatrixSupport) -> Banks:
    if not support.lds:
        return NVIDIA
    target = find(support.lds)
    return Banks(target.warp_size, target.shared_banks)


def _one_side(side: FlatLayout, scratch: Scratch, bits: int, tile: Tile, *, store: bool) -> Transfer:
    """One repetition of a side's transfer: registers that repeat left out."""
    once = len(scratch.offset)
    positions = side.through((*scratch.offset, *scratch.repetition))
    mask = (1 << once) - 1
    kept = [(place, basis) for place, basis in enumerate(positions.register) if not basis >> once]
    register = tuple(basis for _, basis in kept)
    offsets = FlatLayout(
        register, tuple(b & mask for b in positions.lane), tuple(b & mask for b in positions.warp), (), once
    )
    if tile.matrix:
        found = matrix_transfer(offsets, bits, store, tile.transposed)
        if found is not None:
            return found
    return vector_transfer(offsets, bits, store, places=[place for place, _ in kept])
