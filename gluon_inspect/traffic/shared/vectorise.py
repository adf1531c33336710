"""How wide shared-memory instructions become, as Triton chooses it (lowerLdSt, lowerLdStMatrix).

Input is a map from (register, lane, warp, block) to element offsets in shared memory, register
copies removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gluon_inspect.layouts import gf2
from gluon_inspect.layouts.flat import FlatLayout, log2

_MAX_BITS = 128
_MATRIX_LANES = 2
_ROW_BITS = 128


@dataclass(frozen=True, slots=True)
class Vectorisation:
    """`elements` a lane an instruction moves.

    `inner`: the register bits that number them, `outer` those that number the instructions (positions in
    the layout given); `starts`: the offsets of the outer ones. `inner` is None where no single register
    bits number the elements.
    """

    elements: int
    inner: tuple[int, ...] | None
    outer: tuple[int, ...]
    starts: tuple[int, ...]


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


def largest_vector(offsets: FlatLayout, element_bits: int, limit: int | None = None) -> Vectorisation:
    """The widest LDS / STS: registers at offsets 1, 2, … V/2, everything else a multiple of V.

    `limit`: caps V in elements (a padded layout's smallest interval, the global side of a copy);
    registers are then not reordered.
    """
    most = max(_MAX_BITS // element_bits, 1)
    elements = min(most, limit or most)
    while elements > 1:
        wanted = [1 << bit for bit in range(log2(elements))]
        register = _permuted(offsets.register, wanted)
        reordered = register is not None and register != offsets.register
        if register is not None and not (limit and reordered):
            rest = (*register[len(wanted) :], *offsets.others)
            if not any(basis & (elements - 1) for basis in rest):
                return _plain(offsets, elements, wanted)
        elements //= 2
    return _plain(offsets, 1, [])


def _plain(offsets: FlatLayout, elements: int, wanted: Sequence[int]) -> Vectorisation:
    inner = tuple(offsets.register.index(basis) for basis in wanted)
    outer = tuple(i for i in range(len(offsets.register)) if i not in inner)
    return Vectorisation(elements, inner, outer, tuple(offsets.register[i] for i in outer))


def joined_vector(offsets: FlatLayout, element_bits: int, most: int) -> Vectorisation | None:
    """The width to which the compiler (LLVM) joins neighbouring accesses that Triton left apart.

    It can where lanes and warps keep the alignment and sums of registers fill every aligned group, as
    with a swizzle that only moves registers. None where not even two elements join.
    """
    elements = min(max(_MAX_BITS // element_bits, 1), most)
    while elements > 1:
        if not any(basis & (elements - 1) for basis in offsets.others):
            found = _sums(offsets, elements)
            if found is not None:
                return found
        elements //= 2
    return None


def _sums(offsets: FlatLayout, elements: int) -> Vectorisation | None:
    """Aligned groups made of sums of registers: a low part that spans the group, and starts without it."""
    form = gf2.echelon(offsets.register)
    combinations = [form.reduce(1 << bit) for bit in range(log2(elements))]
    if any(rest for rest, _ in combinations):
        return None
    single = all(combination.bit_count() == 1 for _, combination in combinations)
    starts = list[int]()
    outer = list[int]()
    span = gf2.echelon([1 << bit for bit in range(log2(elements))])
    for place, basis in enumerate(offsets.register):
        start = basis & ~(elements - 1)
        if span.add(start, 0):
            outer.append(place)
            starts.append(start)
    inner = tuple(i for i in range(len(offsets.register)) if i not in outer)
    return Vectorisation(elements, inner if single else None, tuple(outer), tuple(starts))


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
