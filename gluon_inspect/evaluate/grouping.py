"""Equal rows of integer columns, found in linear time where their values span little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_WIDEST = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Distinct rows in ascending order: one array a column, how often each occurs, and each row's number."""

    columns: tuple[Ints, ...]
    counts: Ints
    inverse: Ints


def grouped(columns: Sequence[Ints]) -> Groups:
    """Group the rows that columns of one length make."""
    if not len(columns[0]):
        empty = np.zeros(0, np.int64)
        return Groups(tuple(empty for _ in columns), empty, empty)
    lows = [int(column.min()) for column in columns]
    spans = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    total = 1
    for span in spans:
        total *= span
    if total >= _WIDEST:
        return _by_rows(columns)
    code = columns[0] - lows[0]
    for column, low, span in zip(columns[1:], lows[1:], spans[1:], strict=True):
        code = code * span + (column - low)
    distinct, counts, inverse = _by_code(code, total)
    found: list[Ints] = []
    rest = distinct
    for low, span in zip(reversed(lows), reversed(spans), strict=True):
        found.insert(0, rest % span + low)
        rest = rest // span
    return Groups(tuple(found), counts, inverse)


def _by_code(code: Ints, total: int) -> tuple[Ints, Ints, Ints]:
    if total <= max(4 * len(code), 1 << 16):
        counts = np.bincount(code, minlength=total)
        distinct = np.flatnonzero(counts)
        numbers = np.cumsum(counts > 0) - 1
        return distinct, counts[distinct], numbers[code]
    distinct, inverse, counts = np.unique(code, return_inverse=True, return_counts=True)
    return distinct, counts, inverse.reshape(-1)


def _by_rows(columns: Sequence[Ints]) -> Groups:
    rows, inverse, counts = np.unique(np.stack(list(columns)), axis=1, return_inverse=True, return_counts=True)
    return Groups(tuple(rows), counts, inverse.reshape(-1))
