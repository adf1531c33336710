"""Spans over GF(2) in the basis orders that Triton's swizzling works with (vectors are integers)."""

from __future__ import annotations

from collections.abc import Sequence


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
