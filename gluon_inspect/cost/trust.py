"""What an expected time rests on: what is left out, guessed or taken to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gluon_inspect.cost.gathered import is_gathered
from gluon_inspect.cost.work import MODELLED, WITHOUT_OCCUPANCY, Work, is_counted
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.confidence import Confidence, weakest


def leaves_out(work: Work, accesses: Sequence[Access]) -> bool:
    """Whether something that takes time is not in it: unknown global traffic, unknown trips, a listing's end."""
    way = None if work.code is None else work.code.way
    moved = all(
        is_counted(each) for each in accesses if each.space is Space.GLOBAL and not _is_guessed(work, each)
    )
    return not moved or (way is not None and bool(way.unknown or way.is_cut))


def _is_guessed(work: Work, access: Access) -> bool:
    return work.code is not None and is_gathered(access)


def confidence_of(work: Work, accesses: Sequence[Access], counted: Sequence[Access]) -> Confidence:
    """As good as the worst count at best, and no better than assumed: the time itself is a model's."""
    known = work.occupancy is not None and sum(each.space in MODELLED for each in accesses) == len(counted)
    found = weakest(*(each.confidence for each in counted))
    return found if known else weakest(found, Confidence.ASSUMED)


def assumed(work: Work, accesses: Sequence[Access], counted: Sequence[Access]) -> Iterable[str]:
    """What was not known and was taken to be, in words."""
    guessed = [each for each in accesses if _is_guessed(work, each)]
    if guessed:
        names = ", ".join(each.id for each in guessed)
        yield f"addresses loaded from memory are taken to differ, contiguous as far as the code says: {names}"
    left = [e for e in accesses if e.space in MODELLED and not is_counted(e) and e not in guessed]
    missing = [each.id for each in left if each.space is Space.GLOBAL or not each.is_bulk]
    if len(missing) < len(left):
        yield "what bulk copies and tcgen05 move through shared memory is left out"
    if missing:
        yield f"left out, their traffic is not known: {', '.join(missing)}"
    if work.occupancy is None:
        yield f"{WITHOUT_OCCUPANCY} CTAs an SM: registers or shared memory are not known"
    if work.code is not None and work.code.way.unknown:
        yield "loops whose trips are not known run once"
    if work.code is not None and work.code.way.is_cut:
        yield "the listing ends before the kernel does: what follows is left out"
    if work.code is None and work.instructions is None:
        yield "instructions counted from the accesses: there is no binary, or it has loops"
    if any(each.space is Space.GLOBAL and each.requests and each.locality is None for each in counted):
        yield "accesses without placed addresses never return to a sector"
