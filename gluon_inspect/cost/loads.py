"""Which of a launch's accesses each load of the assembly belongs to, and so how long its data takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil

from gluon_inspect.cost.code import Code
from gluon_inspect.cost.program import Act
from gluon_inspect.cost.walk import Item
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.targets.clocks import Clocks

_ALIKE = 0.15
"""Loads on the way may be off by this share of those that the accesses ask for; else nothing is matched."""


def fresh_share(access: Access) -> float:
    """Share of an access's bytes that no program and no other access has brought in before."""
    touched = (access.sectors or 0) * 32.0
    fresh = min(touched, float(access.bytes_unique or touched))
    if access.locality is not None:
        fresh *= 1.0 - access.locality.met_share
    return fresh / touched if touched else 1.0


def load_cycles(access: Access, clocks: Clocks) -> float:
    """Cycles until a load's data is there, by what of it comes from DRAM."""
    fresh = fresh_share(access)
    return fresh * clocks.load_dram + (1.0 - fresh) * clocks.load_l2


def cycles_by_load(accesses: Sequence[Access], code: Code, warps: int, clocks: Clocks) -> Mapping[int, float]:
    """By index of a load: cycles until its data is there. `warps` of the launch.

    Loads follow one another in the assembly as accesses do in the IR, each as often as its access asks. Within a
    loop, unrolling mixes them: loads of one body share a mean. Empty where the two do not agree on how many.
    """
    loads = [each for each in accesses if each.space is Space.GLOBAL and each.direction is Direction.LOAD]
    asked = [(each.warp_instructions or 0) / warps for each in loads]
    groups = list(_groups(code.way.items, code))
    gone = [sum(code.counts[at] for at in group) for group in groups]
    if not asked or not all(asked) or not gone or abs(sum(gone) / sum(asked) - 1.0) > _ALIKE:
        return {}
    scale = sum(asked) / sum(gone)
    parts = [part for each, own in zip(loads, asked, strict=True) for part in _by_mask(each, own, clocks)]
    ends, cycles = list(accumulate(own for own, _ in parts)), [each for _, each in parts]
    found: dict[int, float] = {}
    for group, end, own in zip(groups, accumulate(gone), gone, strict=True):
        mean = _mean_between((end - own) * scale, end * scale, ends, cycles)
        found.update(dict.fromkeys(group, mean))
    return found


def _by_mask(access: Access, instructions: float, clocks: Clocks) -> Iterator[tuple[float, float]]:
    """Instructions of a warp that load, then those whose lanes are all masked off.

    In this order, since masks are mostly `offsets < n`.
    """
    asked, made = access.warp_instructions, access.requests
    share = 1.0 if made is None or not asked else min(1.0, made / asked)
    active = min(instructions, max(1.0, ceil(share * instructions - _ALMOST)))
    yield active, load_cycles(access, clocks)
    yield instructions - active, clocks.load_l1


_ALMOST = 0.25
"""An instruction that less than this share of the warps execute with a lane is masked off."""


def _groups(items: Sequence[Item], code: Code, *, repeated: bool = False) -> Iterator[list[int]]:
    """Loads in order: one by one, or those of a loop's body together."""
    body: list[int] = []
    for item in items:
        if not isinstance(item, int):
            if body:
                yield body
                body = []
            yield from _groups(item.body, code, repeated=True)
        elif code.steps[item].work.act is Act.LOAD and code.counts[item]:
            body.append(item)
            if not repeated:
                yield body
                body = []
    if body:
        yield body


def _mean_between(first: float, last: float, ends: Sequence[float], cycles: Sequence[float]) -> float:
    total, begin = 0.0, 0.0
    for end, each in zip(ends, cycles, strict=True):
        total += each * max(0.0, min(last, end) - max(first, begin))
        begin = end
    return total / (last - first)
