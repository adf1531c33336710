"""How wide shared-memory instructions become, as Triton chooses it (lowerLdSt, lowerLdStMatrix).

Input is a map from (register, lane, warp, block) to element offsets in shared memory, register
copies removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gluon_inspect.addresses.shared.flat import FlatLayout, log2

_MAX_BITS = 128
_MATRIX_LANES = 2
_ROW_BITS = 128


@dataclass(frozen=True, slots=True)
class Vectorisation:
    """`elements` a lane an instruction moves; `offsets` with registers reordered so that they come first."""

    elements: int
    offsets: FlatLayout


@dataclass(frozen=True, slots=True)
class MatrixShape:
    """An ldmatrix / stmatrix instruction: how many 8x8 matrices, transposed or not.

    `rows` are the bases of lane 0..4 (three within a matrix, then one a doubling of matrices) as
    element offsets; `offsets.register` holds the bases beyond one instruction.
    """

    matrices: int
    transposed: bool
    rows: tuple[int, ...]
    offsets: FlatLayout


def _permuted(register: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...] | None:
    """Registers with the wanted bases in front, the others behind in order; None where one is missing."""
    rest = list(register)
    for basis in wanted:
        if basis not in rest:
            return None
        rest.remove(basis)
    return (*wanted, *rest)


def largest_vector(offsets: FlatLayout, element_bits: int, interval: int | None = None) -> Vectorisation:
    """The widest LDS / STS: registers at offsets 1, 2, … V/2, everything else a multiple of V.

    `interval`: the smallest interval of a padded layout in elements; it caps V, and registers are
    then not reordered.
    """
    most = max(_MAX_BITS // element_bits, 1)
    elements = min(most, interval or most)
    while elements > 1:
        wanted = [1 << bit for bit in range(log2(elements))]
        register = _permuted(offsets.register, wanted)
        reordered = register is not None and register != offsets.register
        if register is not None and not (interval and reordered):
            rest = (*register[len(wanted) :], *offsets.others)
            if not any(basis & (elements - 1) for basis in rest):
                return Vectorisation(elements, offsets.with_register(register))
        elements //= 2
    return Vectorisation(1, offsets)


def _straight(offsets: FlatLayout, element_bits: int) -> MatrixShape | None:
    if element_bits > 32:
        return None
    inner = log2(32 // element_bits)
    row = _ROW_BITS // element_bits
    register = _permuted(offsets.register, [1 << bit for bit in range(inner)])
    lanes = tuple(1 << (inner + bit) for bit in range(_MATRIX_LANES))
    if register is None or offsets.lane[:_MATRIX_LANES] != lanes:
        return None
    outer, rest_lanes = register[inner:], offsets.lane[_MATRIX_LANES:]
    if any(b & (row - 1) for b in (*outer, *rest_lanes, *offsets.warp, *offsets.block)):
        return None
    more = min(2, len(outer))
    rows = (*rest_lanes, *outer[:more])
    return MatrixShape(1 << more, False, rows, offsets.with_register(outer[more:]))


def _transposed(offsets: FlatLayout, element_bits: int) -> MatrixShape | None:
    if element_bits != 16 or not offsets.register:
        return None
    if offsets.lane[_MATRIX_LANES:] != (1, 2, 4):
        return None
    rest = (*offsets.register, *offsets.lane[:_MATRIX_LANES], *offsets.warp, *offsets.block)
    if any(basis & 7 for basis in rest):
        return None
    first, outer = offsets.register[0], offsets.register[1:]
    more = min(2, len(outer))
    rows = (first, *offsets.lane[:_MATRIX_LANES], *outer[:more])
    return MatrixShape(1 << more, True, rows, offsets.with_register(outer[more:]))


def matrix_shape(offsets: FlatLayout, element_bits: int, transposed: bool) -> MatrixShape | None:
    """The ldmatrix / stmatrix form of a transfer, or None where the layout does not allow it."""
    if any(offsets.block):
        return None
    return _transposed(offsets, element_bits) if transposed else _straight(offsets, element_bits)
