"""Where the elements of a tensor sit: element indices by instruction, CTA, warp and lane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gluon_inspect.evaluate.values import Ints
from gluon_inspect.layouts.linear import LinearLayout

Bools = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """The instructions that move a tensor.

    `first` is the row-major index of the first element that a lane moves, of shape
    (warps of all CTAs, instructions, lanes). `owns` says which lanes of which warp hold the first copy of
    their elements (others hold copies), of shape (warps, 1, lanes). `vector` elements an instruction.
    """

    first: Ints
    owns: np.ndarray[tuple[int, int, int], np.dtype[np.bool_]]
    vector: int

    @property
    def requests(self) -> int:
        """Warp instructions when every lane is active."""
        return self.first.shape[0] * self.first.shape[1]


def span(bases: Sequence[int]) -> Ints:
    """The XOR of every subset of bases, in index order: shape (2^len,)."""
    values = np.zeros(1, np.int64)
    for basis in bases:
        values = np.concatenate([values, values ^ basis])
    return values


def first_holders(layout: LinearLayout, name: str) -> Bools:
    """Which values of an input dimension hold the first copy of their elements."""
    values = np.arange(layout.size(name), dtype=np.int64)
    return (values & layout.free_variables(name)) == 0


def place(layout: LinearLayout, vector: int, *, block_copies: bool = True) -> Placement:
    """The instructions of a layout at a vector width.

    Registers with a zero basis are issued once. `block_copies`: CTAs that hold copies execute too.
    """
    registers = tuple(basis for basis in layout.flat_bases("register") if basis)
    grouped = span(registers)[::vector]
    lanes, warps = span(layout.flat_bases("lane")), span(layout.flat_bases("warp"))
    blocks = span(layout.flat_bases("block"))
    outer = (blocks[:, None] ^ warps[None, :]).reshape(-1)
    first = outer[:, None, None] ^ grouped[None, :, None] ^ lanes[None, None, :]
    block_owner = first_holders(layout, "block") | block_copies
    warp_owner = (block_owner[:, None] & first_holders(layout, "warp")[None, :]).reshape(-1)
    owns = warp_owner[:, None, None] & first_holders(layout, "lane")[None, None, :]
    return Placement(first, owns, vector)
