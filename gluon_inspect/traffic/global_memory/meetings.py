"""What an access's locality is made of while the launch is evaluated, and the record in the end."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gluon_inspect.evaluate.values import Ints
from gluon_inspect.model.access import Locality
from gluon_inspect.model.target import Target
from gluon_inspect.traffic.global_memory.locality import Bools, Runs, Spread, runs, spread

_MOST_CLASSES = 48
"""Kinds of instances whose spread is counted; of a gather every instance is one, and the first stand for all."""
_MOST_PROGRAMS = 1024


@dataclass(slots=True, eq=False)
class Meetings:
    """Spreads so far, and where the first instances went."""

    total: Spread = Spread()
    _known: dict[Hashable, Spread] = field(default_factory=dict[Hashable, Spread])
    _bases: Ints | None = None
    _which: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    _footprints: tuple[Ints, ...] = ()

    def add(self, key: Hashable, addresses: Ints, active: Bools, access_bytes: int, target: Target) -> None:
        """Meet a kind of instance for the first time: addresses of shape (warps, requests, lanes)."""
        if len(self._known) < _MOST_CLASSES:
            self._known[key] = spread(addresses, active, access_bytes, target)

    def repeat(self, key: Hashable, times: int) -> None:
        """Count `times` instances of a kind; kinds that were not kept are left to the others to stand for."""
        found = self._known.get(key)
        if found is not None:
            self.total += found * times

    def start(self, bases: Ints, which: Ints, footprints: dict[int, Ints]) -> None:
        """Where the first instances are: `which[i]` of the footprints (sorted bytes), moved by `bases[i]`."""
        if self._bases is not None:
            return
        which = which[:_MOST_PROGRAMS]
        known = np.isin(which, list(footprints))
        count = len(which) if known.all() else int(np.argmin(known))
        names = np.unique(which[:count])
        self._bases, self._which = bases[:count], np.searchsorted(names, which[:count])
        self._footprints = tuple(footprints[int(name)] for name in names)

    def first_sectors(self, instances: int, sector_bytes: int) -> Ints:
        """Sectors (address over `sector_bytes`) that the first instances touch, sorted, each once."""
        if self._bases is None:
            return np.zeros(0, np.int64)
        # bytes become sectors once a footprint and place within a sector: there are a tenth as many
        bases: list[int] = self._bases[:instances].tolist()
        which: list[int] = self._which[:instances].tolist()
        known: dict[tuple[int, int], Ints] = {}
        moved: list[Ints] = []
        for base, name in zip(bases, which, strict=True):
            shape = name, base % sector_bytes
            if shape not in known:
                known[shape] = distinct([(self._footprints[name] + shape[1]) // sector_bytes])
            moved.append(known[shape] + base // sector_bytes)
        return distinct(moved)

    @property
    def instances_kept(self) -> int:
        """First instances of which it is known where they went."""
        return 0 if self._bases is None else len(self._bases)

    @property
    def wants_start(self) -> bool:
        """Whether the first instances are still to come."""
        return self._bases is None

    def locality(self, executions: float, sector_bytes: int) -> Locality | None:
        """The record for `executions` instances in all; samples too begin with neighbours."""
        seen = self.total
        if not seen.instances or not seen.pieces:
            return None
        scale = executions / seen.instances
        found = self._runs(sector_bytes)

        def scaled(value: int) -> int:
            return round(value * scale)

        return Locality(
            instances=scaled(seen.instances),
            warps=scaled(seen.warps),
            wavefronts=scaled(seen.wavefronts),
            full_sectors=scaled(seen.full_sectors),
            warp_sectors=scaled(seen.warp_sectors),
            warp_lines=scaled(seen.warp_lines),
            program_sectors=scaled(seen.program_sectors),
            program_lines=scaled(seen.program_lines),
            program_bytes=scaled(seen.program_bytes),
            sector_gap=seen.sector_gap / seen.sector_returns if seen.sector_returns else 0.0,
            line_gap=seen.line_gap / seen.line_returns if seen.line_returns else 0.0,
            piece_bytes=seen.touches * sector_bytes / seen.pieces,
            burst_bytes=seen.warp_sectors * sector_bytes / seen.burst_pieces,
            run_bytes=found.program if found else None,
            run_bytes_window=found.window if found else None,
            run_bytes_resident=found.resident if found else None,
            distinct_share=found.distinct if found else None,
        )

    def _runs(self, sector_bytes: int) -> Runs | None:
        if self._bases is None:
            return None
        return runs(self._bases, self._footprints, self._which, sector_bytes)


def distinct(rising: Sequence[Ints]) -> Ints:
    """The values of arrays that each rise, sorted, each once.

    A stable sort merges what rises already; np.unique, which hashes, takes three times as long.
    """
    ordered = np.sort(np.concatenate([np.zeros(0, np.int64), *rising]), kind="stable")
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]
