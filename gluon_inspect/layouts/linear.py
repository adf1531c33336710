"""Linear layouts: which element of a tensor sits where, as vectors over GF(2).

The element at inputs (register, lane, warp, block), or (offset, block) in shared memory, is the XOR of
the bases that the inputs' bits select.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts import gf2
from gluon_inspect.model.encodings import Bases

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LinearLayout:
    """A linear map from named inputs to a tensor's coordinates.

    `bases` maps each input dimension, most frequent first, to one vector over the outputs for each bit.
    `shape` holds the sizes of the outputs (powers of two), `outs` their names (dim0, dim1, … if empty).
    Raises LayoutError for a size that is not a power of two or a vector outside `shape`.
    """

    bases: Mapping[str, Bases]
    shape: tuple[int, ...]
    outs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(size < 1 or size & (size - 1) for size in self.shape):
            raise LayoutError(f"a linear layout needs powers of two, not the shape {list(self.shape)}")
        for name, vectors in self.bases.items():
            for vector in vectors:
                if len(vector) != len(self.shape) or any(
                    not 0 <= x < size for x, size in zip(vector, self.shape, strict=True)
                ):
                    raise LayoutError(f"the {name} basis {list(vector)} is outside the shape {list(self.shape)}")
        object.__setattr__(self, "bases", MappingProxyType(dict(self.bases)))

    def __hash__(self) -> int:
        return hash((tuple(self.bases.items()), self.shape, self.outs))

    def __reduce__(self) -> tuple[object, ...]:
        return LinearLayout, (dict(self.bases), self.shape, self.outs)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the input dimensions, in order."""
        return tuple(self.bases)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the output dimensions."""
        return self.outs or tuple(f"dim{i}" for i in range(len(self.shape)))

    @property
    def elements(self) -> int:
        """Number of elements of the tensor."""
        return prod(self.shape)

    def bits(self, name: str) -> int:
        """Number of bits of an input dimension; 0 where the layout lacks it."""
        return len(self.bases.get(name, ()))

    def size(self, name: str) -> int:
        """Number of values of an input dimension, copies included."""
        return 1 << self.bits(name)

    def flatten(self, vector: Iterable[int]) -> int:
        """A coordinate (or basis) as the row-major element index; linear, since sizes are powers of two."""
        index = 0
        for x, size in zip(vector, self.shape, strict=True):
            index = index * size | x
        return index

    def unflatten(self, index: int) -> tuple[int, ...]:
        """The coordinate of a row-major element index."""
        found = list[int]()
        for size in reversed(self.shape):
            found.append(index % size)
            index //= size
        return tuple(reversed(found))

    def flat_bases(self, name: str) -> tuple[int, ...]:
        """Each basis of an input dimension as a row-major element index: the pattern that its bit XORs in."""
        return tuple(map(self.flatten, self.bases.get(name, ())))

    def columns(self) -> tuple[int, ...]:
        """All bases, flattened, first input dimension first: the layout as a matrix for `gf2`."""
        return tuple(column for name in self.bases for column in self.flat_bases(name))

    def apply(self, **inputs: int) -> tuple[int, ...]:
        """The coordinate at the given inputs; missing ones are 0."""
        index = 0
        for name, value in inputs.items():
            index ^= gf2.apply(self.flat_bases(name), value)
        return self.unflatten(index)

    def element_index(self, **inputs: Indices | int) -> Indices:
        """Row-major element index at broadcastable arrays of inputs; missing ones are 0."""
        shape = np.broadcast_shapes(*(np.shape(value) for value in inputs.values()))
        result = np.zeros(shape, np.int64)
        for name, value in inputs.items():
            for bit, column in enumerate(self.flat_bases(name)):
                if column:
                    result = result ^ ((np.asarray(value, np.int64) >> bit & 1) * column)
        return result

    def coordinates(self) -> Indices:
        """Row-major element index of every input: one axis for each input dimension, in order."""
        axes = np.meshgrid(*(np.arange(self.size(name)) for name in self.bases), indexing="ij", sparse=True)
        return self.element_index(**dict(zip(self.bases, axes, strict=True)))

    def permuted(self, order: Sequence[int]) -> LinearLayout:
        """The layout of the transposed tensor: dimension i is dimension order[i] of this one."""
        bases = {name: tuple(tuple(b[i] for i in order) for b in vectors) for name, vectors in self.bases.items()}
        return LinearLayout(bases, tuple(self.shape[i] for i in order))

    def free_variables(self, name: str) -> int:
        """Bit mask of the bases of `name` that add nothing: zero, or a sum of bases that come before.

        As Triton's getFreeVariableMasks. Inputs that differ only in these bits hold copies.
        """
        mask, at = gf2.dependent(self.columns()), 0
        for other, vectors in self.bases.items():
            if other == name:
                return mask >> at & (1 << len(vectors)) - 1
            at += len(vectors)
        return 0

    def copies(self, name: str) -> int:
        """How often `name` repeats the same elements: 1 where every value holds its own."""
        return 1 << self.free_variables(name).bit_count()

    @property
    def is_surjective(self) -> bool:
        """Every element of the tensor is held somewhere."""
        return gf2.rank(self.columns()) == (self.elements - 1).bit_length()

    @property
    def is_injective(self) -> bool:
        """No element is held twice."""
        columns = self.columns()
        return gf2.rank(columns) == len(columns)
