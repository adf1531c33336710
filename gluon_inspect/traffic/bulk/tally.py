"""The traffic of bulk copies, added up: sectors and lines of each box, clipped to its tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from gluon_inspect.evaluate.values import Ints, Scalar, as_array

LINE_BYTES = 128
"""Bytes of a line of L2."""


@dataclass(frozen=True, slots=True)
class BulkTraffic:
    """Totals: `sectors_ideal` as few sectors as hold each box's bytes."""

    sectors: int = 0
    sectors_ideal: int = 0
    lines: int = 0
    bytes: int = 0

    def __add__(self, other: BulkTraffic) -> BulkTraffic:
        return BulkTraffic(
            self.sectors + other.sectors,
            self.sectors_ideal + other.sectors_ideal,
            self.lines + other.lines,
            self.bytes + other.bytes,
        )

    def __mul__(self, times: int) -> BulkTraffic:
        return BulkTraffic(
            self.sectors * times, self.sectors_ideal * times, self.lines * times, self.bytes * times
        )


@dataclass(slots=True, eq=False)
class BulkTally:
    """Counts so far. `unknown` says why traffic is incomplete, once it is; `executions` count all the same."""

    element_bytes: int
    sector_bytes: int = 32
    executions: int = 0
    executions_unknown: str = ""
    unknown: str = ""
    traffic: BulkTraffic = BulkTraffic()
    _tiles: list[Ints] = field(default_factory=list[Ints])
    _known: dict[tuple[int, ...], BulkTraffic] = field(default_factory=dict[tuple[int, ...], BulkTraffic])

    def add(
        self,
        base: Scalar,
        sizes: Sequence[Scalar],
        strides: Sequence[Scalar],
        corner: Sequence[Scalar],
        tile: tuple[int, ...],
        box: tuple[int, ...],
        count: int,
    ) -> None:
        """Count `count` executions: `corner` and `sizes` in elements, `strides` too, the last one being 1."""
        rank = len(tile)
        columns = [as_array(value, count) for value in (base, *sizes, *strides[:-1], *corner)]
        tiles, times = distinct(columns)
        moved = np.zeros(tiles.shape[1], np.int64)
        for offset in product(*(range(0, size, part) for size, part in zip(tile, box, strict=True))):
            rows = _clipped(tiles, offset, box, rank, self.element_bytes)
            moved += rows[-rank:].prod(axis=0) * self.element_bytes
            self._count(rows, times, rank)
        self._tiles.append(np.concatenate([tiles, moved[None]]))

    def _count(self, rows: Ints, times: Ints, rank: int) -> None:
        keys, back = np.unique(rows, axis=1, return_inverse=True)
        weights = np.bincount(back.reshape(-1), weights=times, minlength=keys.shape[1])
        for column, weight in zip(keys.T.tolist(), weights.tolist(), strict=True):
            self.traffic += self._box(tuple(column), rank) * round(weight)

    def _box(self, key: tuple[int, ...], rank: int) -> BulkTraffic:
        found = self._known.get(key)
        if found is None:
            found = box_traffic(key[0], key[1:rank], key[rank:], self.element_bytes, self.sector_bytes)
            self._known[key] = found
        return found

    def add_rows(
        self,
        base: Scalar,
        sizes: Sequence[Scalar],
        stride: Scalar,
        rows: Ints,
        column: Scalar,
        width: int,
        box: int,
    ) -> None:
        """Count a gather: `rows` of shape (executions, rows of the tile), `width` elements from `column` on."""
        count = rows.shape[0]
        grouped = rows.reshape(count, -1, min(4, rows.shape[1]))
        within = (grouped >= 0) & (grouped < as_array(sizes[0], count)[:, None, None])
        again = _repeated(grouped)
        starts = (
            as_array(base, count)[:, None, None]
            + grouped * as_array(stride, count)[:, None, None] * self.element_bytes
        )
        for at in range(0, width, box):
            low = np.clip(as_array(column, count) + at, 0, None)
            high = np.minimum(as_array(column, count) + at + box, as_array(sizes[1], count))
            wide = np.maximum(high - low, 0)[:, None, None] * self.element_bytes
            first = starts + low[:, None, None] * self.element_bytes
            on = within & (wide > 0)
            once = on & ~again
            sectors = (first + wide - 1) // self.sector_bytes - first // self.sector_bytes + 1
            lines = (first + wide - 1) // LINE_BYTES - first // LINE_BYTES + 1
            held = (np.where(on, wide, 0).sum(axis=2) + self.sector_bytes - 1) // self.sector_bytes
            taken = np.where(once, sectors, 0).sum(axis=2)
            self.traffic += BulkTraffic(
                int(taken.sum()),
                int(np.minimum(held, taken).sum()),
                int(np.where(once, lines, 0).sum()),
                int(np.where(on, wide, 0).sum()),
            )

    def bytes_unique(self) -> int | None:
        """Distinct bytes, tiles taken to coincide or to be disjoint; None for gathers."""
        if not self._tiles:
            return None if self.traffic.bytes else 0
        seen = np.unique(np.concatenate(self._tiles, axis=1), axis=1)
        return int(seen[-1].sum())


def _repeated(rows: Ints) -> np.typing.NDArray[np.bool_]:
    """Whether an earlier entry of the last axis names the same row."""
    again = np.zeros(rows.shape, np.bool_)
    for place in range(1, rows.shape[-1]):
        again[..., place] = (rows[..., :place] == rows[..., place, None]).any(axis=-1)
    return again


def distinct(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Distinct columns of values, and how often each occurs; packed into one integer where that fits."""
    key, spread = np.zeros(len(columns[0]), np.int64), 1
    for values in columns:
        low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
        spread *= high - low + 1
        if spread >= 1 << 62:
            unique, times = np.unique(np.stack(columns), axis=1, return_counts=True)
            return unique, times
        key = key * (high - low + 1) + (values - low)
    _, first, times = np.unique(key, return_index=True, return_counts=True)
    return np.stack([values[first] for values in columns]), times


def _clipped(tiles: Ints, offset: tuple[int, ...], box: tuple[int, ...], rank: int, size: int) -> Ints:
    """For each tile: start address modulo a line, strides of all but the last dimension, extents of the box."""
    base, sizes, strides, corner = tiles[0], tiles[1 : 1 + rank], tiles[1 + rank : 2 * rank], tiles[2 * rank :]
    low = corner + np.array(offset)[:, None]
    high = np.minimum(low + np.array(box)[:, None], sizes)
    low = np.maximum(low, 0)
    extents = np.maximum(high - low, 0)
    extents[:, extents.min(axis=0) == 0] = 0
    start = base + low[-1] * size
    for dim in range(rank - 1):
        start = start + low[dim] * strides[dim] * size
    start = np.where(extents[0] > 0, start % LINE_BYTES, 0)
    return np.concatenate([start[None], strides, extents])


def box_traffic(
    start: int, strides: Sequence[int], extents: Sequence[int], element_bytes: int, sector_bytes: int
) -> BulkTraffic:
    """One box of `extents` elements that begins at byte `start`; `strides` in elements of all but the last."""
    if not all(extents):
        return BulkTraffic()
    rows = np.array([start], np.int64)
    for stride, extent in zip(strides, extents[:-1], strict=True):
        rows = (rows[:, None] + np.arange(extent) * (stride * element_bytes)).reshape(-1)
    wide = extents[-1] * element_bytes
    moved = wide * len(rows)
    sectors = _units(rows, wide, sector_bytes)
    return BulkTraffic(sectors, min(sectors, -(-moved // sector_bytes)), _units(rows, wide, LINE_BYTES), moved)


def _units(rows: Ints, wide: int, unit: int) -> int:
    """Distinct units of memory that rows of `wide` bytes touch."""
    first, last = rows // unit, (rows + wide - 1) // unit
    steps = np.arange(int((last - first).max()) + 1)
    touched = first[:, None] + steps
    return len(np.unique(touched[touched <= last[:, None]]))
