"""A change of layout through shared memory: its scratch, its stores and its loads.

Rules: triton-lang/triton 3.6, the NVIDIA backend's ConvertLayoutOpToLLVM.cpp. What a change of layout needs
at all: `layouts.conversion`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gluon_inspect.layouts.conversion_36 import dimension, moves_between, stays
from gluon_inspect.layouts.flat import FlatLayout
from gluon_inspect.targets import find
from gluon_inspect.traffic.shared.swizzle import NVIDIA, Banks, Scratch, Tile, scratch_layout
from gluon_inspect.traffic.shared.transfer import Transfer, matrix_transfer, vector_transfer


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


def _is_warp_private(source: FlatLayout, target: FlatLayout) -> bool:
    """Every warp reads only what it wrote, and no warp holds copies: a warp barrier is enough."""
    moves = moves_between(target, source)
    free = [0 in dimension(side, name) for side in (source, target) for name in ("warp", "block")]
    return stays(moves, "warp") and stays(moves, "block") and not any(free)


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
