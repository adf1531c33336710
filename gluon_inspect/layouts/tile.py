"""A tile under construction: bases that grow outwards from the innermost element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.encodings import Bases, Basis


def _bits(count: int) -> int:
    """log2 of a size; 0 and 1 both need no bit."""
    if count & (count - 1):
        raise LayoutError(f"a linear layout needs powers of two, not {count}")
    return max(count.bit_length() - 1, 0)


@dataclass(slots=True)
class Tile:
    """Bases by input dimension over `rank` outputs, and the extent covered so far along each output.

    Every step multiplies: new bases start where the extent ends.
    """

    rank: int
    bases: dict[str, list[Basis]]
    sizes: list[int] = field(default_factory=list[int])

    @staticmethod
    def empty(rank: int, *inputs: str) -> Tile:
        """One element."""
        return Tile(rank, {name: [] for name in inputs}, [1] * rank)

    @staticmethod
    def registers(rank: int) -> Tile:
        """One element in a layout over register, lane and warp."""
        return Tile.empty(rank, "register", "lane", "warp")

    def walk(self, name: str, dim: int, count: int) -> Tile:
        """`count` neighbours along `dim`, one for each value of the next bits of `name`."""
        for _ in range(_bits(count)):
            self.bases[name].append(self._unit(dim, self.sizes[dim]))
            self.sizes[dim] *= 2
        return self

    def walk_all(self, name: str, counts: Sequence[int], order: Sequence[int], copied: int = -1) -> Tile:
        """Neighbours along every dimension in `order`; along `copied` the values hold copies."""
        for dim in order:
            if dim == copied:
                self.copy(name, counts[dim])
            else:
                self.walk(name, dim, counts[dim])
        return self

    def copy(self, name: str, count: int) -> Tile:
        """The next bits of `name` hold copies."""
        self.bases[name].extend([(0,) * self.rank] * _bits(count))
        return self

    def times(self, bases: Mapping[str, Sequence[Basis]]) -> Tile:
        """Multiply with bases in units of this tile."""
        sizes = list(self.sizes)
        for name, vectors in bases.items():
            scaled = [tuple(x * s for x, s in zip(vector, sizes, strict=True)) for vector in vectors]
            self.bases.setdefault(name, []).extend(scaled)
        for dim, size in enumerate(extent(self.rank, *bases.values())):
            self.sizes[dim] *= size
        return self

    def fill(self, name: str, order: Sequence[int], shape: Sequence[int]) -> Tile:
        """Where the tile is smaller than `shape`, repeat it over further bits of `name`."""
        for dim in order:
            self.walk(name, dim, shape[dim] // self.sizes[dim])
        return self

    def clip(self, shape: Sequence[int], dropped: str = "") -> Tile:
        """Where the tile is larger than `shape`, turn its outermost bases along that output into copies.

        Bases of the input `dropped` are removed instead.
        """
        removed = set[int]()
        for dim, wanted in enumerate(shape):
            for name, index in self._outermost(dim):
                if self.sizes[dim] <= wanted:
                    break
                if name == dropped:
                    removed.add(index)
                else:
                    vector = self.bases[name][index]
                    self.bases[name][index] = (*vector[:dim], 0, *vector[dim + 1 :])
                self.sizes[dim] //= 2
        if removed:
            self.bases[dropped] = [v for i, v in enumerate(self.bases[dropped]) if i not in removed]
        return self

    def fit(self, shape: Sequence[int], cga: Bases, order: Sequence[int], dropped: str = "") -> LinearLayout:
        """Spread the tile over one CTA's share of `shape`, then over the CTAs of the cluster.

        The first input takes what the tile lacks, in `order`; `dropped` as in `clip`.
        """
        filler = next(iter(self.bases))
        blocks = Tile(self.rank, {"block": list(cga)}, extent(self.rank, cga)).clip(shape)
        share = [max(1, size // ctas) for size, ctas in zip(shape, blocks.sizes, strict=True)]
        self.fill(filler, order, share).clip(share, dropped).times(blocks.bases)
        return self.layout(shape)

    def layout(self, shape: Sequence[int]) -> LinearLayout:
        """The tile as it is, over `shape`."""
        return LinearLayout({name: tuple(vectors) for name, vectors in self.bases.items()}, tuple(shape))

    def _unit(self, dim: int, value: int) -> Basis:
        return (0,) * dim + (value,) + (0,) * (self.rank - dim - 1)

    def _outermost(self, dim: int) -> list[tuple[str, int]]:
        """Where the bases that move along `dim` are, the farthest first."""
        if self.sizes[dim] == 1:
            return []
        moving = [
            (vector[dim], name, index)
            for name, vectors in self.bases.items()
            for index, vector in enumerate(vectors)
            if vector[dim]
        ]
        moving.sort(key=lambda item: -item[0])
        return [(name, index) for _, name, index in moving]


def extent(rank: int, *groups: Sequence[Basis]) -> list[int]:
    """The smallest box of powers of two that holds all vectors of all groups."""
    sizes = [1] * rank
    for vectors in groups:
        for vector in vectors:
            for dim, value in enumerate(vector):
                sizes[dim] = max(sizes[dim], 1 << value.bit_length())
    return sizes


def row_major(rank: int) -> tuple[int, ...]:
    """The last dimension fastest."""
    return tuple(range(rank - 1, -1, -1))


def column_major(rank: int) -> tuple[int, ...]:
    """Of the two matrix dimensions the first is fastest; a batch dimension stays slowest."""
    order = list(row_major(rank))
    order[:2] = reversed(order[:2])
    return tuple(order)


def share_of_cta(shape: Sequence[int], cga: Bases) -> list[int]:
    """The part of a shared-memory tensor that one CTA of the cluster holds."""
    split = extent(len(shape), cga)
    return [size // min(size, ctas) for size, ctas in zip(shape, split, strict=True)]
