"""What moving a tensor from one register layout to another needs: nothing, registers, lanes, warps, CTAs.

As Triton decides it: triton-lang/triton, lib/Analysis/Utility.cpp, minimalCvtLayout, cvtReordersRegisters,
cvtNeedsWarpShuffle and getWarpLayoutConvertDecomposition (Triton 3.9); 3.6: `conversion_36`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.layouts import gf2
from gluon_inspect.layouts.algebra import invert_and_compose, quotient, sublayout, without_copies
from gluon_inspect.layouts.conversion_36 import kind_until_36
from gluon_inspect.layouts.flat import flat
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.access import ConversionKind
from gluon_inspect.model.versions import Version

_SLOWEST_FIRST = ("block", "warp", "lane", "register")
_SHUFFLES_AT_MOST = 1
"""Exchanges between a register bit and a lane bit that Triton still makes by shuffles; more go through memory."""

_THIS_RULE: Version = (3, 7)
"""Earlier versions decide as `conversion_36` says."""

_Slot = tuple[str, int]


def minimal_conversion(source: LinearLayout, target: LinearLayout) -> LinearLayout:
    """From places in `target` to places in `source`, without the dimensions in which nothing moves.

    Dimensions leave from block inwards, up to the first in which something moves.
    """
    conversion = invert_and_compose(target, source)
    for name in (name for name in _SLOWEST_FIRST if name in conversion.inputs):
        rest = quotient(conversion, name)
        if rest is None:
            break
        conversion = rest
    return conversion


def must_exchange(source: LinearLayout, target: LinearLayout) -> frozenset[str]:
    """Of register, lane, warp, block: those between which data must move."""
    conversion = minimal_conversion(source, target)
    moving = set[str]()
    for name, vectors in conversion.bases.items():
        place = conversion.outputs.index(name)
        for bit, vector in enumerate(vectors):
            stays = tuple(1 << bit if i == place else 0 for i in range(len(vector)))
            moving |= {
                out for out, here, there in zip(conversion.outputs, vector, stays, strict=True) if here != there
            }
    if not stays_in_warps(source, target):
        return frozenset(moving)
    return frozenset(moving - {"warp", "block"} | set(_asked_within(source, target)))


def _asked_within(source: LinearLayout, target: LinearLayout) -> Iterator[str]:
    """Between what data moves within a warp whose copy in `target` is of another part than its own in `source`."""
    registers = gf2.echelon(source.flat_bases("register"))
    for name in ("warp", "block"):
        for one, other in zip(source.flat_bases(name), target.flat_bases(name), strict=True):
            if one != other:
                yield "lane" if registers.reduce(one ^ other)[0] else "register"


def conversion_kind(source: LinearLayout, target: LinearLayout, version: Version) -> ConversionKind:
    """The cheapest means by which that version of Triton converts `source` to `target`.

    Raises LayoutError where the two hold different elements.
    """
    if version < _THIS_RULE:
        return kind_until_36(flat(source), flat(target))
    outs = minimal_conversion(source, target).outputs
    if not outs:
        return ConversionKind.TRIVIAL
    if outs == ("register",):
        return ConversionKind.REGISTER
    within = outs == ("register", "lane") or stays_in_warps(source, target)
    if within and mixed_transpositions(source, target) <= _SHUFFLES_AT_MOST:
        return ConversionKind.SHUFFLE
    return ConversionKind.CLUSTER if "block" in outs and not within else ConversionKind.SHARED


def stays_in_warps(source: LinearLayout, target: LinearLayout) -> bool:
    """Every warp holds in `source` what it needs in `target`; which lane to ask may depend on the warp.

    Where warps hold copies, a warp reads its own.
    """
    lanes = gf2.echelon(source.flat_bases("lane"))
    inside = gf2.echelon(sublayout(source, ("register", "lane")).columns())
    for name in ("warp", "block"):
        if source.bits(name) != target.bits(name):
            return False
        pairs = zip(source.flat_bases(name), target.flat_bases(name), strict=True)
        if any(lanes.reduce(one ^ other)[0] for one, other in pairs):
            return False
    return not any(inside.reduce(column)[0] for column in sublayout(target, ("register", "lane")).columns())


def mixed_transpositions(source: LinearLayout, target: LinearLayout) -> int:
    """How many register bits change places with lane bits, in a conversion within warps.

    The conversion is a permutation of register and lane bits; each run of lane bits in a cycle that also
    has register bits is one exchange.
    """
    follower = _bit_permutation(source, target)
    exchanges, unseen = 0, set(follower)
    while unseen:
        cycle = _cycle(follower, next(iter(unseen)))
        unseen -= set(cycle)
        exchanges += sum(
            here[0] == "register" and there[0] == "lane"
            for here, there in zip(cycle, (*cycle[1:], cycle[0]), strict=True)
        )
    return exchanges


def _cycle(follower: dict[_Slot, _Slot], start: _Slot) -> list[_Slot]:
    cycle, at = [start], follower[start]
    while at != start:
        cycle.append(at)
        at = follower[at]
    return cycle


def _bit_permutation(source: LinearLayout, target: LinearLayout) -> dict[_Slot, _Slot]:
    """For each register and lane bit of `source` the bit of `target` with the same basis, copies matched last."""
    ours, theirs = _slots(source), _slots(target)
    for slot in set(ours) | set(theirs):
        ours.setdefault(slot, 0)
        theirs.setdefault(slot, 0)
    place = {column: slot for slot, column in theirs.items() if column}
    follower = dict[_Slot, _Slot]()
    for slot, column in ours.items():
        there = place.pop(column, None)
        if there is not None:
            follower[slot] = there
    return follower | _match_rest(set(ours) - set(follower), set(theirs) - set(follower.values()))


def _match_rest(free: set[_Slot], places: set[_Slot]) -> dict[_Slot, _Slot]:
    """Copies, and what is found by the warp's number: each to itself where it can, the rest in order."""
    stay = free & places
    rest = zip(sorted(free - stay, key=_rank), sorted(places - stay, key=_rank), strict=True)
    return {slot: slot for slot in stay} | dict(rest)


def _rank(slot: _Slot) -> tuple[bool, int]:
    return slot[0] == "lane", slot[1]


def _slots(layout: LinearLayout) -> dict[_Slot, int]:
    layout = sublayout(without_copies(layout), ("register", "lane"))
    return {(name, bit): column for name in layout.inputs for bit, column in enumerate(layout.flat_bases(name))}
