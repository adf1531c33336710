"""How the requests of one program meet again: what caches and write buffers can make of them.

Requests, sectors and lines say what the warps ask for. Whether a sector that is asked for eight times crosses
to the L2 once or eight times depends on who asks and how soon: that is counted here, exactly, from the same
addresses. The cost model (`gluon_inspect.cost`) turns it into time.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from gluon_inspect.evaluate.values import Ints
from gluon_inspect.model.target import Target

Bools = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
_NOWHERE = -1
_FAR = np.iinfo(np.int64).max // 4
_BURST = 4
_WIDE_PHASES = {16: 4, 8: 2}
"""The L1 takes 128-bit accesses by quarter warps and 64-bit ones by halves, as shared memory does.

Seen in `l1tex__data_pipe_lsu_wavefronts` of 149 layouts on an H200: lanes of one line in two quarters cost two.
"""


@dataclass(frozen=True, slots=True)
class Spread:
    """Counts of some instances of an access; they add up and scale.

    `warps`: warps with an active lane. `wavefronts`: cycles of the L1's data stage. `touches`: (request, sector)
    pairs; `full_sectors`: those touched whole.
    `warp_*`: distinct units that one warp touches in one instance, summed over warps; `program_*`: the same
    over all warps, `program_bytes` distinct bytes. `*_returns`: times that a warp touches a unit again in a
    later request of the instance; `*_gap`: requests of the warp from one touch to the next, summed over the
    returns. `pieces`: contiguous pieces of each request; `burst_pieces`: of each four successive ones of a warp.
    """

    instances: int = 0
    warps: int = 0
    wavefronts: int = 0
    touches: int = 0
    full_sectors: int = 0
    warp_sectors: int = 0
    warp_lines: int = 0
    program_sectors: int = 0
    program_lines: int = 0
    program_bytes: int = 0
    sector_returns: int = 0
    sector_gap: int = 0
    line_returns: int = 0
    line_gap: int = 0
    pieces: int = 0
    burst_pieces: int = 0

    def __add__(self, other: Spread) -> Spread:
        return Spread(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def __mul__(self, times: int) -> Spread:
        return Spread(*(getattr(self, each.name) * times for each in fields(self)))


@dataclass(frozen=True, slots=True)
class _Touches:
    """(warp, unit, request) triples, distinct and in that order; `lanes` that make each."""

    warp: Ints
    unit: Ints
    request: Ints
    lanes: Ints

    def again(self) -> tuple[int, int, int]:
        """Distinct (warp, unit) pairs, returns of a warp to a unit, requests in between, summed."""
        same = (self.warp[1:] == self.warp[:-1]) & (self.unit[1:] == self.unit[:-1])
        gaps = (self.request[1:] - self.request[:-1])[same]
        return len(self.unit) - int(same.sum()), len(gaps), int(gaps.sum())


def spread(addresses: Ints, active: Bools, access_bytes: int, target: Target) -> Spread:
    """The spread of one instance: `addresses` in bytes, of shape (warps, requests, lanes), and `active` lanes.

    An access that crosses a sector counts for its first sector alone (misaligned vectors fault on hardware).
    """
    active = np.broadcast_to(active, addresses.shape)
    if not active.any():
        return Spread(instances=1)
    sectors = _touches(addresses // target.sector_bytes, active)
    lines = _touches(addresses // target.line_bytes, active)
    warp_sectors, sector_returns, sector_gap = sectors.again()
    warp_lines, line_returns, line_gap = lines.again()
    return Spread(
        instances=1,
        warps=len(np.unique(sectors.warp)),
        wavefronts=_wavefronts(addresses, active, access_bytes, target.line_bytes),
        touches=len(sectors.lanes),
        full_sectors=int((sectors.lanes * access_bytes >= target.sector_bytes).sum()),
        warp_sectors=warp_sectors,
        warp_lines=warp_lines,
        program_sectors=len(np.unique(sectors.unit)),
        program_lines=len(np.unique(lines.unit)),
        program_bytes=len(np.unique(addresses[active])) * access_bytes,
        sector_returns=sector_returns,
        sector_gap=sector_gap,
        line_returns=line_returns,
        line_gap=line_gap,
        pieces=_pieces_of(addresses // target.sector_bytes, active, 1),
        burst_pieces=_pieces_of(addresses // target.sector_bytes, active, _BURST),
    )


def _pieces_of(sectors: Ints, active: Bools, burst: int) -> int:
    """Contiguous pieces of each `burst` successive requests of a warp, summed."""
    warps, requests, lanes = sectors.shape
    rows = -(-requests // burst)
    padded = np.full((warps, rows * burst, lanes), _FAR, np.int64)
    padded[:, :requests] = np.where(active, sectors, _FAR)
    found = np.sort(padded.reshape(warps, rows, burst * lanes), axis=-1)
    breaks = (found[..., 1:] - found[..., :-1] > 1) & (found[..., 1:] != _FAR)
    return int(breaks.sum() + (found[..., 0] != _FAR).sum())


def _touches(units: Ints, active: Bools) -> _Touches:
    requests = units.shape[1]
    warp: Ints
    request: Ints
    warp, request, _ = np.nonzero(active)
    names, rank = np.unique(units[active], return_inverse=True)
    keys, counts = np.unique((warp * len(names) + rank) * requests + request, return_counts=True)
    pairs, request = np.divmod(keys, requests)
    warp, unit = np.divmod(pairs, len(names))
    return _Touches(warp, unit, request, counts)


def _wavefronts(addresses: Ints, active: Bools, access_bytes: int, line_bytes: int) -> int:
    """Cycles of the L1's data stage: by phase, the words of the busiest bank, or the tags that it takes."""
    phases = _WIDE_PHASES.get(access_bytes, 1)
    phases = phases if addresses.shape[-1] % phases == 0 else 1
    split = np.where(active, addresses, _NOWHERE).reshape(-1, addresses.shape[-1] // phases)
    tags = -(-_distinct(split // line_bytes).sum(axis=-1) // _TAGS)
    parts = np.arange(max(1, access_bytes // _WORD_BYTES), dtype=np.int64) * _WORD_BYTES
    words = np.where(split[..., None] < 0, _NOWHERE, split[..., None] + parts).reshape(len(split), -1)
    words = np.sort(words // _WORD_BYTES, axis=-1)
    rows, columns = np.nonzero(_distinct(words))
    taken = np.bincount(rows * _BANKS + words[rows, columns] % _BANKS, minlength=len(words) * _BANKS)
    return int(np.maximum(taken.reshape(-1, _BANKS).max(axis=-1, initial=0), tags).sum())


def _distinct(units: Ints) -> Bools:
    """Marks the first of each unit of a row, in sorted order; none for what is nowhere."""
    ordered = np.sort(units, axis=-1)
    first = np.ones(ordered.shape, np.bool_)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return first & (ordered >= 0)


_BANKS, _WORD_BYTES, _TAGS = 32, 4, 4
"""The L1 keeps its data in the banks of shared memory and takes up to four lines at once.

Three interleaved fields (12 lines a request, lanes 48 bytes apart) run at the speed of DRAM on an H200, and its
`l1tex__t_output_wavefronts` are three a request; strides that are a multiple of 128 bytes take one for each line.
"""


_MOST_RUNS = 1 << 16
"""Runs that are merged at most: bounds the time (some 10 ms) and memory for scattered accesses."""
_WINDOW_BYTES = 1 << 18
"""Bytes that DRAM has queued at once: 96 pseudo-channels (6,016 bits) x some 64 entries x 32 to 64 B."""
_RESIDENT_PROGRAMS = 1024
"""Programs that run at once on a big GPU: 132 SMs x about 8 CTAs."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Mean length in bytes of the contiguous pieces that programs touch, sector by sector.

    `program`: by one program alone; `window`: by as many neighbours in launch order as DRAM has in its queues;
    `resident`: by about as many as run at once, which the L2 can put together before it writes. `distinct`:
    sectors that those touch together over the sum of what each touches.
    """

    program: float
    window: float
    resident: float
    distinct: float


def runs(bases: Ints, footprints: tuple[Ints, ...], which: Ints, sector_bytes: int) -> Runs | None:
    """Contiguous pieces of the first programs: program i touches `footprints[which[i]] + bases[i]` (bytes).

    Programs whose lanes are all masked off touch nothing and do not count; None where no program touches anything.
    """
    pieces = tuple(_pieces(footprint) for footprint in footprints)
    sizes = np.array([len(piece) for piece in pieces], np.int64)
    touching = sizes[which] > 0
    bases, which = bases[touching], which[touching]
    if not len(bases):
        return None
    most = int(np.searchsorted(np.cumsum(sizes[which]), _MOST_RUNS, side="right"))
    limit = max(1, min(_RESIDENT_PROGRAMS, most, len(bases)))
    moved = max(1, int((pieces[int(which[0])][:, 1] - pieces[int(which[0])][:, 0]).sum()))
    window = min(limit, max(1, _WINDOW_BYTES // moved))

    def merged(count: int) -> tuple[float, float]:
        return _merged([pieces[int(which[i])] + int(bases[i]) for i in range(count)], sector_bytes)

    resident, distinct = merged(limit)
    return Runs(merged(1)[0], merged(window)[0], resident, distinct)


def _pieces(footprint: Ints) -> Ints:
    """[first, end) byte ranges of sorted distinct element addresses, their size being the smallest step."""
    if not footprint.size:
        return np.empty((0, 2), np.int64)
    steps = np.diff(footprint)
    size = int(steps.min()) if steps.size else 1
    cuts = np.flatnonzero(steps > size)
    first = footprint[np.concatenate([[0], cuts + 1])]
    last = footprint[np.concatenate([cuts, [len(footprint) - 1]])]
    return np.stack([first, last + size], axis=1)


def _merged(pieces: list[Ints], sector_bytes: int) -> tuple[float, float]:
    """Mean length in bytes of the pieces put together, and their sum over the sum of the lengths before."""
    ranges = np.concatenate(pieces)
    first = ranges[:, 0] // sector_bytes
    end = -(-ranges[:, 1] // sector_bytes)
    order = np.argsort(first, kind="stable")
    first, reach = first[order], np.maximum.accumulate(end[order])
    starts = np.concatenate([[True], first[1:] > reach[:-1]])
    tops = np.concatenate([reach[:-1][starts[1:]], reach[-1:]])
    lengths = tops - first[starts]
    return float(lengths.mean() * sector_bytes), float(lengths.sum() / (end - ranges[:, 0] // sector_bytes).sum())
