"""From what warps ask for to what crosses each level of the memory system."""

from __future__ import annotations

from dataclasses import dataclass, fields

from gluon_inspect.cost.rates import Rates
from gluon_inspect.model.access import Access, Direction, Locality, Space
from gluon_inspect.model.target import Target


@dataclass(frozen=True, slots=True)
class Flow:
    """Totals of one launch. Requests are L2 requests: up to four sectors of one line."""

    l1_wavefronts: float = 0.0
    shared_wavefronts: float = 0.0
    l2_read_requests: float = 0.0
    l2_read_sectors: float = 0.0
    l2_write_requests: float = 0.0
    l2_full_sectors: float = 0.0
    l2_partial_sectors: float = 0.0
    dram_read_bytes: float = 0.0
    dram_write_bytes: float = 0.0
    dram_reads: float = 0.0
    dram_writes: float = 0.0
    dram_partial_writes: float = 0.0

    def __add__(self, other: Flow) -> Flow:
        return Flow(*(getattr(self, name) + getattr(other, name) for name in _NAMES))

    def scaled(self, times: float) -> Flow:
        """The flow, `times` as much of everything."""
        return Flow(*(getattr(self, name) * times for name in _NAMES))


_NAMES = tuple(each.name for each in fields(Flow))


@dataclass(frozen=True, slots=True)
class Machine:
    """The card as the programs of one launch find it.

    `resident` CTAs an SM; `l1_missed`: share of returns to a sector that the L1 has lost by then; `l2_kept`:
    share of what all resident programs touch that the L2 can hold, at most 1; `l2_found`: share of lines that
    a read finds still there after the lines of all resident programs came in between. `l1_again`, `l2_again`:
    share of what a program reads a second time, in another access, that each cache still holds.
    `shared_requests`: share of what several SMs ask for at about the same time that reaches the L2.
    """

    target: Target
    rates: Rates
    programs: int
    resident: float
    l1_missed: float
    l2_kept: float
    l2_found: float
    l1_again: float = 1.0
    l2_again: float = 1.0
    shared_requests: float = 1.0


def flow_of(access: Access, machine: Machine) -> Flow:
    """The flow of one access; what is unknown of it flows nothing (the caller says so)."""
    if access.space is Space.SHARED:
        return Flow(shared_wavefronts=float(access.wavefronts or 0))
    if access.space is not Space.GLOBAL or not access.sectors:
        return Flow()
    seen = access.locality or plain_locality(access, machine.target)
    if access.direction in (Direction.STORE, Direction.ATOMIC):
        return _stored(access, seen, machine)
    return _loaded(access, seen, machine)


def plain_locality(access: Access, target: Target) -> Locality:
    """What to assume of an access whose addresses were not placed: nobody returns, pieces of one request.

    Descriptor (TMA) accesses pass by the L1's data stage, so they have no wavefronts.
    """
    sectors = access.sectors or 0
    per_line = target.line_bytes // target.sector_bytes
    lines = access.lines if access.lines is not None else -(-sectors // per_line)
    requests = access.requests or 0
    return Locality(
        instances=max(1, access.executions or 1),
        warps=max(1, requests),
        wavefronts=(access.lines or 0) if requests else 0,
        full_sectors=access.sectors_ideal or 0,
        warp_sectors=sectors,
        warp_lines=lines,
        program_sectors=min(sectors, access.sectors_ideal or sectors),
        program_lines=lines,
        program_bytes=access.bytes_requested or 0,
    )


def _merged(lines: float, requests: float, seen: Locality, warps: float, gap: float, machine: Machine) -> float:
    """Share of a warp's returns to a unit that find their line still waiting on its way out of the L1.

    The lines that all resident warps put in between are weighed against what the L1 keeps in flight.
    """
    if not requests or not seen.instances:
        return 0.0
    between = machine.resident * warps / seen.instances * lines / requests * max(1.0, gap)
    return 1.0 / (1.0 + (between / machine.rates.merge_lines) ** 2)


def _loaded(access: Access, seen: Locality, machine: Machine) -> Flow:
    sectors, requests = float(access.sectors or 0), float(access.requests or 0)
    lines = float(access.lines if access.lines is not None else seen.program_lines)
    crossing = seen.program_sectors + machine.l1_missed * max(0.0, sectors - seen.program_sectors)
    crossing *= _first_seen(access, seen, machine)
    # warps that hold copies of each other ask for the same sectors at about the same time
    alone = seen.program_sectors / max(1, seen.warp_sectors)
    most = min(lines, crossing)
    least = min(most, seen.warp_lines * alone)
    # a return that hits the L1 asks for nothing: the next sector of the line comes so many returns later
    gap = seen.line_gap * sectors / max(1, seen.warp_sectors)
    asked = most - _merged(lines, requests, seen, seen.warps * alone, gap, machine) * (most - least)
    moved = _from_dram(access, seen, machine.target) * (
        1.0 - seen.met_share * max(machine.l1_again, machine.l2_again)
    )
    window, resident = _dram_runs(access, seen, machine)
    return Flow(
        l1_wavefronts=float(seen.wavefronts),
        l2_read_requests=asked,
        l2_read_sectors=crossing,
        dram_read_bytes=moved,
        dram_reads=moved * ((1.0 - machine.l2_found) / window + machine.l2_found / resident),
    )


def _first_seen(access: Access, seen: Locality, machine: Machine) -> float:
    """Share of its sectors that a load does not find in the L1 from a load before it, or of another program.

    Copies to shared memory pass by the L1; what several SMs ask for at once is asked of the L2 in part.
    """
    if access.direction is Direction.COPY:
        touched = (access.sectors or 0) * machine.target.sector_bytes
        return (
            machine.shared_requests
            if access.bytes_unique and access.bytes_unique < _SHARED_BELOW * touched
            else 1.0
        )
    mine = 1.0 - seen.met_share * machine.l1_again * (1.0 - machine.l1_missed)
    if not access.requests or seen.distinct_share is None:
        return mine
    return mine * max(seen.distinct_share, machine.l1_missed)


_SHARED_BELOW = 0.6
"""Unique bytes below this share of what is asked for: programs share them."""


def _stored(access: Access, seen: Locality, machine: Machine) -> Flow:
    sectors, requests = float(access.sectors or 0), float(access.requests or 0)
    lines = float(access.lines if access.lines is not None else seen.program_lines)
    merged = _merged(lines, requests, seen, seen.warps, seen.sector_gap, machine)
    crossing = sectors - merged * (sectors - seen.warp_sectors)
    asked = lines - _merged(lines, requests, seen, seen.warps, seen.line_gap, machine) * (lines - seen.warp_lines)
    full = min(1.0, seen.full_sectors / sectors)
    if sectors > seen.warp_sectors:
        full += (1.0 - full) * merged
    moved = _from_dram(access, seen, machine.target)
    window, resident = _dram_runs(access, seen, machine)
    kept = machine.l2_kept
    return Flow(
        l1_wavefronts=float(seen.wavefronts),
        l2_write_requests=asked,
        l2_full_sectors=crossing * full,
        l2_partial_sectors=crossing * (1.0 - full),
        dram_write_bytes=moved,
        dram_writes=moved * ((1.0 - kept) / window + kept / resident),
        dram_partial_writes=_evicted(crossing, full, seen, machine),
    )


def _evicted(crossing: float, full: float, seen: Locality, machine: Machine) -> float:
    """Sectors that leave the L2 half written, since another warp completes them later: read and written again."""
    if full > 0.5 or not seen.program_sectors:
        return 0.0
    shared = min(crossing, float(seen.warp_sectors)) / seen.program_sectors
    rewritten = min(1.0, max(0.0, shared - 1.0))
    return machine.rates.evicted_partials * seen.program_sectors * rewritten * (1.0 - machine.l2_kept / 2)


def _from_dram(access: Access, seen: Locality, target: Target) -> float:
    """Bytes that must cross DRAM: sectors that the programs touch, what several of them share counted once."""
    touched = float(seen.program_sectors * target.sector_bytes)
    if not access.bytes_unique or not seen.program_bytes:
        return touched
    share = min(1.0, access.bytes_unique / seen.program_bytes, seen.distinct_share or 1.0)
    return max(float(access.bytes_unique), touched * share)


def _dram_runs(access: Access, seen: Locality, machine: Machine) -> tuple[float, float]:
    """Bytes that DRAM gets in one go: between what one warp asks for at once and what others add to it.

    First without the L2's help, then with it. Reads of neighbours meet in DRAM's queues. Writes wait in the L2
    until it needs the room, which comes at another time for each program, so that without it each stands alone.
    """
    weight = machine.rates.piece_weight
    own = seen.piece_bytes or _request_run(access, machine.target)
    burst = max(own, seen.burst_bytes or own)
    piece = max(_DRAM_ATOM_BYTES, (own * burst) ** 0.5)
    stored = access.direction in (Direction.STORE, Direction.ATOMIC)
    window = (seen.run_bytes if stored else seen.run_bytes_window) or piece
    resident = seen.run_bytes_resident or window
    return max(own, window ** (1 - weight) * piece**weight), max(own, resident ** (1 - weight) * piece**weight)


_DRAM_ATOM_BYTES = 64.0
"""What one DRAM access moves: reading every second sector takes as long as reading all (micro.cu)."""


def _request_run(access: Access, target: Target) -> float:
    if not access.requests or not access.sectors or not access.lines:
        return float(target.line_bytes)
    return access.sectors / access.lines * target.sector_bytes


def ideal_flow(access: Access, own: Flow, target: Target) -> Flow:
    """The flow of the same bytes in the fewest sectors: whole lines, each asked for once, in long pieces.

    DRAM bytes stay: what is read must be read. Shared memory: no bank conflicts.
    """
    if access.space is Space.SHARED:
        ideal = access.wavefronts_ideal
        return own if ideal is None else Flow(shared_wavefronts=min(own.shared_wavefronts, float(ideal)))
    if access.is_bulk and access.sectors == access.sectors_ideal:
        # boxes are asked for whole: what other programs ask for again is no fault of their shape
        return own
    moved = own.dram_read_bytes + own.dram_write_bytes
    lines = moved / target.line_bytes
    sectors = moved / target.sector_bytes
    stores = own.l2_write_requests > 0
    return Flow(
        l1_wavefronts=min(own.l1_wavefronts, lines),
        l2_read_requests=0.0 if stores else min(own.l2_read_requests, lines),
        l2_read_sectors=0.0 if stores else min(own.l2_read_sectors, sectors),
        l2_write_requests=min(own.l2_write_requests, lines) if stores else 0.0,
        l2_full_sectors=sectors if stores else 0.0,
        dram_read_bytes=own.dram_read_bytes,
        dram_write_bytes=own.dram_write_bytes,
        dram_reads=min(own.dram_reads, own.dram_read_bytes / _LONG_RUN_BYTES),
        dram_writes=min(own.dram_writes, own.dram_write_bytes / _LONG_RUN_BYTES),
    )


_LONG_RUN_BYTES = 1024


def spill_flow(spill_bytes: int, warps: int, warps_per_program: int, machine: Machine) -> Flow:
    """Local memory: each word of each lane is taken to be stored once and loaded once.

    Stores write through to the L2 (as seen in the counters of 15 spilling kernels); loads hit the L1 as far as
    half of it holds what the resident programs spill, then the L2, then DRAM.
    """
    return local_flow(spill_bytes, (float(spill_bytes), float(spill_bytes)), warps, warps_per_program, 0, machine)


def local_flow(
    frame_bytes: int,
    moved: tuple[float, float],
    warps: int,
    warps_per_program: int,
    shared_bytes: int,
    machine: Machine,
) -> Flow:
    """Local memory of `frame_bytes` a thread, of which a thread loads and stores `moved` bytes in all.

    Stores write through to the L2; loads hit the L1 as far as half of what shared memory leaves of it holds the
    frames of the resident programs, then the L2, then DRAM.
    """
    if not frame_bytes:
        return Flow()
    target, rates = machine.target, machine.rates
    held = frame_bytes * target.warp_size * warps_per_program * machine.resident
    room = max(1.0, rates.l1_bytes - shared_bytes * machine.resident) / 2
    past_l1 = 1.0 - min(1.0, room / held)
    past_l2 = 1.0 - min(1.0, rates.l2_bytes / (held * target.sms))
    loaded, stored = (each * target.warp_size * warps for each in moved)
    read = loaded * past_l1
    return Flow(
        l1_wavefronts=(loaded + stored) / target.line_bytes,
        l2_read_requests=read / target.line_bytes,
        l2_read_sectors=read / target.sector_bytes,
        l2_write_requests=stored / target.line_bytes,
        l2_full_sectors=stored / target.sector_bytes,
        dram_read_bytes=read * past_l2,
        dram_write_bytes=stored * past_l2,
        dram_reads=read * past_l2 / _LONG_RUN_BYTES,
        dram_writes=stored * past_l2 / _LONG_RUN_BYTES,
    )
