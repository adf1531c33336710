"""Layouts flattened to one output: every basis is an integer over GF(2), so composing is XOR.

A tensor of shape (2^a, 2^b) has a + b index bits; a basis (i, j) becomes the integer `j * 2^a + i`: the
first dimension fastest, as Triton flattens, because its swizzling compares these integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts import gf2
from gluon_inspect.layouts.linear import LinearLayout


@dataclass(frozen=True, slots=True)
class FlatLayout:
    """Bases of (register, lane, warp, block) as integers; `bits` is the number of output bits."""

    register: tuple[int, ...]
    lane: tuple[int, ...]
    warp: tuple[int, ...]
    block: tuple[int, ...]
    bits: int

    @property
    def without_register_copies(self) -> FlatLayout:
        """The same layout without zero register bases: a copy in a register costs no instruction."""
        return replace(self, register=tuple(b for b in self.register if b))

    @property
    def others(self) -> tuple[int, ...]:
        """All bases that are not a register's."""
        return (*self.lane, *self.warp, *self.block)

    @property
    def all(self) -> tuple[int, ...]:
        """Every basis, registers first."""
        return (*self.register, *self.others)

    def with_register(self, register: Iterable[int]) -> FlatLayout:
        """The same layout with other register bases."""
        return replace(self, register=tuple(register))

    def through(self, columns: Sequence[int]) -> FlatLayout:
        """The map from this layout's inputs to positions i with column i summing to the element.

        `columns` are the other layout's bases, by position. Raises LayoutError where an element of
        this layout has no position there.
        """
        form = gf2.echelon(columns)

        def at(bases: tuple[int, ...]) -> tuple[int, ...]:
            found = [form.reduce(basis) for basis in bases]
            if any(remainder for remainder, _ in found):
                raise LayoutError("the two layouts hold different elements")
            return tuple(combination for _, combination in found)

        return FlatLayout(at(self.register), at(self.lane), at(self.warp), at(self.block), len(columns))


def flat(layout: LinearLayout, shape: Sequence[int] = ()) -> FlatLayout:
    """A distributed layout, flattened over `shape` (its own where not given; never smaller)."""
    sizes = tuple(shape) or layout.shape
    return FlatLayout(
        flat_bases(layout, "register", sizes),
        flat_bases(layout, "lane", sizes),
        flat_bases(layout, "warp", sizes),
        flat_bases(layout, "block", sizes),
        sum(size.bit_length() - 1 for size in sizes),
    )


def flat_bases(layout: LinearLayout, name: str, shape: Sequence[int]) -> tuple[int, ...]:
    """One input dimension's bases as element indices into a tensor of `shape`, first dimension fastest."""
    return tuple(_index(vector, shape) for vector in layout.bases.get(name, ()))


def _index(vector: Sequence[int], shape: Sequence[int]) -> int:
    index = 0
    for coordinate, size in zip(reversed(vector), reversed(shape), strict=True):
        index = index * size + coordinate
    return index


def log2(size: int) -> int:
    """Exact base-two logarithm of a power of two; LayoutError otherwise."""
    if size < 1 or size & (size - 1):
        raise LayoutError(f"{size} is not a power of two")
    return size.bit_length() - 1
