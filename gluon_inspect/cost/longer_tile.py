"""What a tile that is longer along the contiguous dimension gives, programs and loops changed with it.

A tile without the tensor's contiguous dimension reads a sector for each element, in whatever layout. One that has
a sector's elements of it does the work of as many programs: where the tile is walked in a loop, fewer programs are
left and each makes more trips, which may cost more than the sectors did.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gluon_inspect.cost.change import Change, changed_seconds
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.steps import trip_bytes
from gluon_inspect.model.access import Access, Direction
from gluon_inspect.wording.numbers import duration

_WORTHWHILE = 0.97


@dataclass(frozen=True, slots=True)
class LongerTile:
    """What the advised change gives back of the expected time (0 to 1), and the advice."""

    gain: float
    advice: str


def longer_tile(facts: Facts, access: Access) -> LongerTile | None:
    """The longer tile that serves an access best; None where the tile has the contiguous dimension, or no time."""
    programs, cost = facts.programs.total, facts.cost
    if cost is None or not programs or not access.executions or not _lacks_contiguous(facts, access):
        return None
    elements = max(1, facts.target.sector_bytes * 8 // (access.element_bits or 32))
    accesses = [_whole(each) if _lacks_contiguous(facts, each) else each for each in facts.accesses]
    alone = changed_seconds(facts, Change(accesses=accesses))
    if alone is None:
        return None
    gain = max(0.0, 1.0 - alone / cost.seconds)
    trip = trip_bytes(facts, access)
    if trip is not None and 0 < abs(trip) < facts.target.sector_bytes:
        return LongerTile(gain * _share(facts, access), _along_loop(facts, access, abs(trip)))
    if access.executions <= programs:
        share = _share(facts, access)
        return LongerTile(
            gain * share,
            "let the tile have the tensor's contiguous dimension, and read along it: "
            f"{duration(alone)} instead of {duration(cost.seconds)} with as many programs",
        )
    left = -(-programs // elements)
    fewer = changed_seconds(facts, Change(accesses=accesses, programs=left, trips=programs / left))
    return None if fewer is None else _in_loop(facts, (elements, left, fewer, alone), _share(facts, access))


def _in_loop(facts: Facts, found: tuple[int, int, float, float], share: float) -> LongerTile | None:
    """`found`: elements of a sector, programs left, and the times with these programs and with as many as now."""
    elements, left, fewer, alone = found
    before = facts.cost.seconds if facts.cost else 0.0
    now = f"{left:,} programs for {facts.target.sms} SMs"
    if fewer <= _WORTHWHILE * before:
        return LongerTile(
            (1.0 - fewer / before) * share,
            f"let the tile have {elements} elements of the contiguous dimension, and read along it: {now} are "
            f"left, {duration(fewer)} instead of {duration(before)}",
        )
    return LongerTile(
        max(0.0, 1.0 - alone / before) * share,
        f"a tile with {elements} elements of the contiguous dimension leaves {now}, which makes it slower "
        f"({duration(fewer)} instead of {duration(before)}): share its loop out over {elements} programs too "
        f"({duration(alone)}, results then added up), or leave it",
    )


def _along_loop(facts: Facts, access: Access, trip: int) -> str:
    """Where the loop walks along memory: later trips use the rest of each sector, if it is still there."""
    size = max(1, (access.element_bits or 8) // 8)
    trips = facts.target.sector_bytes // trip
    return (
        f"the loop moves on by {trip} bytes a trip: load the elements of {trips} trips at once, or keep this "
        f"tensor with the tile's dimension contiguous, so that neighbours lie {size} bytes apart"
    )


def _share(facts: Facts, access: Access) -> float:
    """The access's part of what all of its kind lose."""
    lost = {
        each.id: facts.lost_fraction(each.id) or 0.0 for each in facts.accesses if _lacks_contiguous(facts, each)
    }
    total = sum(lost.values())
    return lost.get(access.id, 0.0) / total if total else 1.0 / max(1, len(lost))


def _lacks_contiguous(facts: Facts, access: Access) -> bool:
    """Whether even the nearest neighbours of the tile lie a sector apart, or more."""
    found = access.geometry
    if found is None or access.is_bulk or access.is_gather or access.efficiency is None or access.made_up_strides:
        return False
    if found.contiguous_dim is not None or access.direction not in (Direction.LOAD, Direction.STORE):
        return False
    pairs = zip(found.dim_strides_bytes, access.shape, strict=False)
    strides = [None if stride is None else abs(stride) for stride, size in pairs if size > 1]
    known = [stride for stride in strides if stride is not None]
    return bool(known) and len(known) == len(strides) and min(known) >= facts.target.sector_bytes


def _whole(access: Access) -> Access:
    """The access as one that takes all elements of its sectors."""
    if access.sectors is None or access.sectors_ideal is None:
        return access
    lines = None if access.lines is None else -(-access.sectors_ideal * access.lines // max(1, access.sectors))
    return replace(access, sectors=access.sectors_ideal, lines=lines, locality=None)
