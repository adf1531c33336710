"""Who takes part along one axis of a tensor: warps and lanes, their coordinates and their copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.traffic.placement import first_holders, span
from gluon_inspect.traffic.shared.nvidia.banks import Addresses, Mask


@dataclass(frozen=True, slots=True)
class AxisView:
    """A distributed layout seen along `axis`: which bits of lane and warp move along it."""

    layout: LinearLayout
    axis: int

    def axis_bits(self, name: str) -> tuple[int, ...]:
        """Positions of the bits of an input dimension that move along the axis."""
        return tuple(i for i, basis in enumerate(self.layout.bases.get(name, ())) if basis[self.axis])

    def axis_size(self, name: str) -> int:
        """How many distinct coordinates along the axis this input dimension makes."""
        return 1 << len(self.axis_bits(name))

    def axis_index(self, name: str) -> Addresses:
        """For each value of an input dimension, its number along the axis, shape (size,)."""
        bits = self.axis_bits(name)
        weights = [1 << bits.index(i) if i in bits else 0 for i in range(self.layout.bits(name))]
        return span(weights)

    def other_index(self, name: str, order: Sequence[int]) -> Addresses:
        """For each value, its number among the unique coordinates off the axis (`order` fastest first)."""
        free = self.layout.free_variables(name)
        ranked = [
            (order.index(_dim(basis)), i)
            for i, basis in enumerate(self.layout.bases.get(name, ()))
            if not free >> i & 1 and not basis[self.axis]
        ]
        places = {i: place for place, (_, i) in enumerate(sorted(ranked))}
        return span([1 << places[i] if i in places else 0 for i in range(self.layout.bits(name))])

    def other_size(self, name: str) -> int:
        """How many unique coordinates off the axis this input dimension makes."""
        free = self.layout.free_variables(name).bit_count()
        return 1 << (self.layout.bits(name) - free - len(self.axis_bits(name)))

    def representative(self, name: str) -> Mask:
        """Values of an input dimension that are the first holder of their element."""
        return first_holders(self.layout, name)


def _dim(basis: Sequence[int]) -> int:
    return next(dim for dim, coordinate in enumerate(basis) if coordinate)


def register_order(layout: LinearLayout) -> tuple[int, ...]:
    """Dimensions by the first register basis that moves along them; the others follow, last first."""
    rank = len(layout.shape)
    moved = [_dim(basis) for basis in layout.bases.get("register", ()) if any(basis)]
    return tuple(dict.fromkeys([*moved, *reversed(range(rank))]))
