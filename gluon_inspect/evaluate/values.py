"""Values of many instances at once: what an SSA value holds in every program and loop iteration.

An instance is one execution of a piece of code (a program, or a program x iteration). A scalar is one
integer for all instances or an array with one entry an instance. A tensor keeps the part that differs
between instances apart from the part that differs between elements, since almost every address is
`something of the program + something of the element`:

    value[instance, element] = base[instance] + table[index[instance], element]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gluon_inspect.evaluate.grouping import Ints, grouped

Scalar = int | Ints

MAX_TABLE_ELEMENTS = 1 << 25
"""Elements a tensor's table may hold; beyond it the evaluation is cut into smaller batches."""


class TooLargeError(Exception):
    """A value needs more memory than a batch may take: evaluate fewer instances at once."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that the IR alone does not determine, and why."""

    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """A tensor in every instance.

    `table` is int64 of shape (classes, *dims), each dim full or 1 (the same along it); `index` gives
    each instance's class, None where there is one class.
    """

    shape: tuple[int, ...]
    base: Scalar
    table: Ints
    index: Ints | None = None

    @property
    def is_splat(self) -> bool:
        """Whether every element of an instance is the same."""
        return self.table.size == self.table.shape[0]

    def row(self, cls: int) -> Ints:
        """The elements' part of one class, at full shape."""
        return np.broadcast_to(self.table[cls], self.shape)


Known = int | Ints | Lanes
AnyValue = int | Ints | Lanes | Unknown


def splat(value: Scalar, shape: tuple[int, ...]) -> Lanes:
    """A tensor whose elements are all `value`."""
    return Lanes(shape, value, np.zeros((1,) * (len(shape) + 1), np.int64))


def constant(values: Ints) -> Lanes:
    """A tensor that is the same in every instance."""
    return Lanes(values.shape, 0, values.reshape((1, *values.shape)).astype(np.int64))


def _paired(left: Lanes, right: Lanes) -> tuple[Ints, Ints, Ints | None]:
    """Both tables, class by class of the pairs that occur, and the index of the pairs."""
    if left.index is None or right.index is None:
        index = left.index if right.index is None else right.index
        return left.table, right.table, index
    if left.index is right.index:
        return left.table, right.table, left.index
    pairs = grouped((left.index, right.index))
    _check(len(pairs.counts), left, right)
    return left.table[pairs.columns[0]], right.table[pairs.columns[1]], pairs.inverse


def _check(classes: int, *lanes: Lanes) -> None:
    elements = max(x.table[0].size for x in lanes)
    if classes * elements > MAX_TABLE_ELEMENTS:
        raise TooLargeError


def _trim(value: Lanes) -> Lanes:
    """Move a table that is constant over its elements into the base, so that it stays cheap."""
    if value.table.shape[0] == 1 and value.table.size == 1:
        offset = int(value.table.flat[0])
        if offset:
            return Lanes(value.shape, value.base + offset, np.zeros_like(value.table), None)
    elif value.is_splat and value.index is not None:
        column = value.table.reshape(-1)[value.index]
        return splat(value.base + column, value.shape)
    return value


def add(left: Lanes, right: Lanes, sign: int = 1) -> Lanes:
    """left + sign * right, element by element."""
    base = left.base + sign * right.base
    # an unchanged table keeps its identity, by which later steps know that they have met it before
    if _is_zero(right):
        return Lanes(left.shape, base, left.table, left.index)
    if _is_zero(left) and sign == 1:
        return Lanes(left.shape, base, right.table, right.index)
    a, b, index = _paired(left, right)
    _check(max(a.shape[0], b.shape[0]), left, right)
    return _trim(Lanes(left.shape, base, a + sign * b, index))


def _is_zero(value: Lanes) -> bool:
    return value.table.size == 1 and not value.table.flat[0]


def scale(value: Lanes, factor: int) -> Lanes:
    """Every element times one integer."""
    if factor == 1:
        return value
    return Lanes(value.shape, value.base * factor, value.table * factor, value.index)


def folded(value: Lanes) -> Lanes:
    """The same tensor with the base folded into the table: one class for each distinct instance."""
    if isinstance(value.base, int):
        return Lanes(value.shape, 0, value.table + value.base, value.index) if value.base else value
    found = grouped((value.base, _index_of(value, len(value.base))))
    _check(len(found.counts), value)
    dims = (-1,) + (1,) * (value.table.ndim - 1)
    table = value.table[found.columns[1]] + found.columns[0].reshape(dims)
    return _trim(Lanes(value.shape, 0, table, found.inverse))


def _index_of(value: Lanes, instances: int) -> Ints:
    return np.zeros(instances, np.int64) if value.index is None else value.index


def elementwise(function: Any, *operands: Lanes) -> Lanes:
    """Any NumPy function of the elements, by folding every operand first."""
    # folding a splat leaves it in the base, where it is cheap: give it a table again
    parts = [tabled(folded(operand)) for operand in operands]
    if len(parts) > 2:
        return _elementwise_many(function, parts)
    if len(parts) == 1:
        only = parts[0]
        return Lanes(only.shape, 0, function(only.table).astype(np.int64), only.index)
    left, right = parts
    a, b, index = _paired(left, right)
    return _trim(Lanes(left.shape, 0, np.asarray(function(a, b), np.int64), index))


def _elementwise_many(function: Any, parts: list[Lanes]) -> Lanes:
    key, classes = np.zeros(1, np.int64), 1
    for part in parts:
        if part.index is not None:
            key, classes = key * part.table.shape[0] + part.index, classes * part.table.shape[0]
    unique, index = np.unique(key, return_inverse=True)
    _check(len(unique), *parts)
    tables: list[Ints] = []
    rest = unique
    for part in reversed(parts):
        if part.index is None:
            tables.insert(0, part.table)
            continue
        tables.insert(0, part.table[rest % part.table.shape[0]])
        rest = rest // part.table.shape[0]
    varies = any(part.index is not None for part in parts)
    table = np.asarray(function(*tables), np.int64)
    return _trim(Lanes(parts[0].shape, 0, table, index.reshape(-1) if varies else None))


def tabled(value: Lanes) -> Lanes:
    """The same tensor with everything in the table, a splat's base too; `value` is folded already."""
    if isinstance(value.base, int):
        return Lanes(value.shape, 0, value.table + value.base, value.index) if value.base else value
    found = grouped((value.base,))
    _check(len(found.counts), value)
    dims = (-1,) + (1,) * (value.table.ndim - 1)
    return Lanes(value.shape, 0, value.table[:1] + found.columns[0].reshape(dims), found.inverse)


def bounds(value: Lanes) -> tuple[int, int]:
    """The smallest and largest element over all instances."""
    low, high = int(value.table.min()), int(value.table.max())
    if isinstance(value.base, int):
        return value.base + low, value.base + high
    if not value.base.size:
        return 0, 0
    return int(value.base.min()) + low, int(value.base.max()) + high


def take(value: AnyValue, instances: Ints) -> AnyValue:
    """The value in a selection of instances (an array of instance numbers, repeats allowed)."""
    match value:
        case np.ndarray():
            return value[instances]
        case Lanes():
            base = value.base if isinstance(value.base, int) else value.base[instances]
            index = None if value.index is None else value.index[instances]
            return Lanes(value.shape, base, value.table, index)
        case _:
            return value


def as_array(value: Scalar, instances: int) -> Ints:
    """A scalar as one entry an instance."""
    return np.full(instances, value, np.int64) if isinstance(value, int) else value
