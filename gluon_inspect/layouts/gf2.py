"""Linear algebra over GF(2) on Python ints.

A matrix is a sequence of columns; bit `r` of column `c` is the entry in row `r`. A vector of
coefficients is an int as well: bit `c` selects column `c`. Addition is XOR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Echelon:
    """An XOR basis that grows column by column and remembers what each vector was made from."""

    _by_lead: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def reduce(self, vector: int, combination: int = 0) -> tuple[int, int]:
        """The remainder of `vector` modulo the span, and the coefficients that were used."""
        while vector:
            known = self._by_lead.get(vector.bit_length())
            if known is None:
                break
            vector ^= known[0]
            combination ^= known[1]
        return vector, combination

    def add(self, vector: int, combination: int) -> bool:
        """Extend the span; False where `vector` depends on what is there already."""
        remainder, combination = self.reduce(vector, combination)
        if not remainder:
            return False
        self._by_lead[remainder.bit_length()] = (remainder, combination)
        return True

    def __len__(self) -> int:
        return len(self._by_lead)


def apply(columns: Sequence[int], coefficients: int) -> int:
    """Matrix times vector: the XOR of the selected columns."""
    result = 0
    for index, column in enumerate(columns):
        if coefficients >> index & 1:
            result ^= column
    return result


def echelon(columns: Sequence[int]) -> Echelon:
    """The echelon form of all columns; coefficients refer to the columns' positions."""
    form = Echelon()
    for index, column in enumerate(columns):
        form.add(column, 1 << index)
    return form


def rank(columns: Sequence[int]) -> int:
    """Number of independent columns."""
    return len(echelon(columns))


def dependent(columns: Sequence[int]) -> int:
    """Bit mask of the columns that are zero or a sum of earlier columns."""
    form, mask = Echelon(), 0
    for index, column in enumerate(columns):
        if not form.add(column, 0):
            mask |= 1 << index
    return mask


def solve(columns: Sequence[int], target: int) -> int | None:
    """Coefficients whose columns sum to `target`, dependent columns unused; None where there are none."""
    remainder, combination = echelon(columns).reduce(target)
    return None if remainder else combination


def kernel(columns: Sequence[int]) -> tuple[int, ...]:
    """A basis of the coefficient vectors that sum to zero: one for each dependent column."""
    form, found = Echelon(), list[int]()
    for index, column in enumerate(columns):
        remainder, combination = form.reduce(column, 1 << index)
        if remainder:
            form.add(remainder, combination)
        else:
            found.append(combination)
    return tuple(found)


def image(columns: Sequence[int]) -> tuple[int, ...]:
    """The reduced basis of the columns' span, ascending: equal spans give equal tuples."""
    reduced = list[int]()
    for column in columns:
        for known in reduced:
            column = min(column, column ^ known)
        if column:
            reduced = [min(known, known ^ column) for known in reduced]
            reduced.append(column)
    return tuple(sorted(reduced))


def inverse(columns: Sequence[int], row_bits: int) -> tuple[int, ...] | None:
    """The pseudo-inverse's columns: for each row bit, coefficients that produce it; None unless onto."""
    form = echelon(columns)
    found = list[int]()
    for row in range(row_bits):
        remainder, combination = form.reduce(1 << row)
        if remainder:
            return None
        found.append(combination)
    return tuple(found)


def multiply(outer: Sequence[int], inner: Sequence[int]) -> tuple[int, ...]:
    """The product outer x inner, column by column."""
    return tuple(apply(outer, column) for column in inner)


def _reduced_rows(rows: Sequence[int], bits: int) -> list[int]:
    """Reduced row echelon form, pivots at the lowest set bits, zero rows dropped."""
    pending, reduced = list(rows), list[int]()
    for bit in range(bits):
        pivot = next((row for row in pending if row >> bit & 1), None)
        if pivot is None:
            continue
        pending.remove(pivot)
        pending = [row ^ pivot if row >> bit & 1 else row for row in pending]
        reduced = [row ^ pivot if row >> bit & 1 else row for row in reduced]
        reduced.append(pivot)
    return reduced


def _lowest(row: int) -> int:
    return (row & -row).bit_length() - 1


def null_space(rows: Sequence[int], bits: int) -> list[int]:
    """A basis of the vectors whose product with every row is zero."""
    reduced = _reduced_rows(rows, bits)
    pivots = {_lowest(row) for row in reduced}
    basis: list[int] = []
    for free in range(bits):
        if free in pivots:
            continue
        vector = 1 << free
        for row in reduced:
            if row >> free & 1:
                vector ^= 1 << _lowest(row)
        basis.append(vector)
    return basis


def intersection(first: Sequence[int], second: Sequence[int], bits: int) -> list[int]:
    """A basis of span(first) & span(second), in the order of `first` where all are unit vectors."""
    if all(b & (b - 1) == 0 for b in (*first, *second)):
        wanted = set(second)
        return [b for b in first if b and b in wanted]
    return null_space([*null_space(first, bits), *null_space(second, bits)], bits)


def complement(basis: Sequence[int], bits: int) -> list[int]:
    """Unit vectors that complete some vectors to the whole space."""
    pivots = {_lowest(row) for row in _reduced_rows(basis, bits)}
    return [1 << bit for bit in range(bits) if bit not in pivots]
