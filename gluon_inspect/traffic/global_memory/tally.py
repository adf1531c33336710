"""The traffic of one access, added up over everything that executes it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gluon_inspect.evaluate.grouping import grouped
from gluon_inspect.evaluate.values import Ints, Lanes, Scalar, as_array, folded, tabled
from gluon_inspect.model.target import Target
from gluon_inspect.traffic.global_memory.meetings import Meetings
from gluon_inspect.traffic.global_memory.requests import Traffic, count
from gluon_inspect.traffic.placement import Placement


@dataclass(frozen=True, slots=True)
class Sample:
    """The first instance that was seen, kept to explain the access: byte addresses and active elements."""

    base: int
    row: Ints
    mask: Ints | None


@dataclass(slots=True, eq=False)
class Tally:
    """Counts so far. `unknown` says why they are incomplete, once they are."""

    element_bytes: int
    traffic: Traffic = Traffic()
    executions: int = 0
    unknown: str = ""
    sample: Sample | None = None
    low: int | None = None
    high: int = 0
    _footprints: dict[tuple[int, int, int, int], int] = field(default_factory=dict[tuple[int, int, int, int], int])
    _sizes: list[int] = field(default_factory=list[int])
    _seen: list[Ints] = field(default_factory=list[Ints])
    _known: dict[tuple[int, int, int, int, int], Traffic] = field(
        default_factory=dict[tuple[int, int, int, int, int], Traffic]
    )
    _kept: list[Ints] = field(default_factory=list[Ints])
    meetings: Meetings = field(default_factory=Meetings)

    def add_tensor(
        self, pointer: Lanes, mask: Lanes | None, size: int, placement: Placement, target: Target, *, once: bool
    ) -> None:
        """Count an access to `pointer` (byte addresses) in `size` instances."""
        active = None if mask is None else tabled(folded(mask))
        bases = as_array(pointer.base, size)
        classes = np.zeros(size, np.int64) if pointer.index is None else pointer.index
        masks = np.zeros(size, np.int64) if active is None or active.index is None else active.index
        self._keep(pointer.table, None if active is None else active.table)
        period = target.line_bytes
        found = grouped((bases % period, classes, masks))
        for offset, cls, mask_cls, times in zip(
            *(c.tolist() for c in (*found.columns, found.counts)), strict=True
        ):
            row = pointer.row(cls).reshape(-1)
            bits = None if active is None else np.broadcast_to(active.table[mask_cls], active.shape).reshape(-1)
            self._count(
                (id(pointer.table), cls, offset, 0 if active is None else id(active.table), mask_cls),
                row, bits, offset, times, placement, target, once,
            )  # fmt: skip
        self._note_footprint(pointer, active, bases, classes, masks)

    def _keep(self, *tables: Ints | None) -> None:
        # the caches are keyed by identity, so the tables must live as long as they do
        self._kept.extend(table for table in tables if table is not None)

    def _count(
        self,
        key: tuple[int, int, int, int, int],
        row: Ints,
        bits: Ints | None,
        offset: int,
        times: int,
        placement: Placement,
        target: Target,
        once: bool,
    ) -> None:
        found = self._known.get(key)
        if found is None:
            addresses = row[placement.first] + offset
            active = np.ones(1, np.bool_) if bits is None else bits[placement.first] != 0
            if once:
                active = active & placement.owns
            found = count(
                addresses,
                np.asarray(active),
                placement.vector * self.element_bytes,
                target.sector_bytes,
                target.line_bytes,
            )
            self._known[key] = found
            size = placement.vector * self.element_bytes
            self.meetings.add(key, addresses, np.asarray(active), size, target)
        self.traffic += found * times
        self.meetings.repeat(key, times)

    def _note_footprint(
        self, pointer: Lanes, active: Lanes | None, bases: Ints, classes: Ints, masks: Ints
    ) -> None:
        if not bases.size:
            return
        kinds = grouped((classes, masks))
        ids = np.empty(len(kinds.counts), np.int64)
        rows: dict[int, Ints] = {}
        for column, (cls, mask_cls) in enumerate(zip(*(c.tolist() for c in kinds.columns), strict=True)):
            ids[column] = self._footprint(pointer, active, cls, mask_cls)
            if self.meetings.wants_start and len(rows) < _MOST_FOOTPRINTS:
                rows[int(ids[column])] = np.unique(_active_row(pointer, active, cls, mask_cls))
        own = ids[kinds.inverse]
        self.meetings.start(bases, own, rows)
        self._seen.append(np.stack(grouped((bases, own)).columns))
        low, high = int(pointer.table.min()), int(pointer.table.max())
        lowest, highest = int(bases.min()) + low, int(bases.max()) + high + self.element_bytes
        self.low = lowest if self.low is None else min(self.low, lowest)
        self.high = max(self.high, highest)
        if self.sample is None:
            cls, mask_cls = int(classes[0]), int(masks[0])
            bits = None if active is None else np.broadcast_to(active.table[mask_cls], active.shape)
            self.sample = Sample(int(bases[0]), pointer.row(cls), bits)

    def _footprint(self, pointer: Lanes, active: Lanes | None, cls: int, mask_cls: int) -> int:
        key = (id(pointer.table), cls, 0 if active is None else id(active.table), mask_cls)
        if key not in self._footprints:
            row = _active_row(pointer, active, cls, mask_cls)
            self._footprints[key] = len(self._sizes)
            self._sizes.append(len(np.unique(row)) * self.element_bytes)
        return self._footprints[key]

    def add_scalar(self, pointer: Scalar, mask: Scalar | None, size: int, warps: int, lanes: int) -> None:
        """Count an access to one element: `warps` warps execute it, with `lanes` active lanes each."""
        active = as_array(1 if mask is None else mask, size)
        times = int((active != 0).sum()) * warps
        one = Traffic(1, 1, 1, 1, lanes)
        self.traffic += one * times
        touched = as_array(pointer, size)[active != 0]
        addresses = grouped((touched,)).columns[0]
        if not addresses.size:
            return
        self._seen.append(np.stack([addresses, np.full(len(addresses), -1)]))
        self.low = min(int(addresses.min()), self.low if self.low is not None else int(addresses.min()))
        self.high = max(self.high, int(addresses.max()) + self.element_bytes)
        if self.sample is None:
            self.sample = Sample(int(addresses[0]), np.zeros((), np.int64), None)

    def bytes_unique(self) -> int:
        """Distinct bytes, counting each tile once: tiles are taken to coincide or to be disjoint.

        Never more than the span of the addresses, so that overlapping tiles are not counted beyond it.
        """
        if not self._seen:
            return 0
        bases, ids = np.concatenate(self._seen, axis=1)
        seen = grouped((bases, ids)).columns
        sizes = np.array([*self._sizes, self.element_bytes], np.int64)
        return min(int(sizes[seen[1]].sum()), self.high - (self.low or 0))


_MOST_FOOTPRINTS = 16
"""Kinds of tiles that are kept to see what neighbouring programs put together."""


def _active_row(pointer: Lanes, active: Lanes | None, cls: int, mask_cls: int) -> Ints:
    """The element addresses that one kind of instance touches, its base left out."""
    row = pointer.row(cls).reshape(-1)
    if active is None:
        return row
    return row[np.broadcast_to(active.table[mask_cls], active.shape).reshape(-1) != 0]
