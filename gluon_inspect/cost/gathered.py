"""Accesses whose addresses are loaded from memory: what they move, were no byte met twice.

How often they run is what the assembly executes beyond the accesses that are known; how they lie is what axis
analysis proves of neighbouring elements. Which of them meet is in the data: all are taken to differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, prod

from gluon_inspect.cost.code import Code
from gluon_inspect.cost.program import Act
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence

_ACTS = {
    Direction.LOAD: Act.LOAD,
    Direction.STORE: Act.STORE,
    Direction.ATOMIC: Act.ATOMIC,
    Direction.COPY: Act.COPY,
}
_SECTOR_BYTES, _LINE_BYTES = 32, 128


def is_gathered(access: Access) -> bool:
    """Whether traffic of lanes is not known although its instructions are."""
    unknown = access.space is Space.GLOBAL and access.sectors is None and not access.is_bulk
    return unknown and bool(access.widths and access.element_bits) and access.estimate is None


def gathered(accesses: Sequence[Access], code: Code | None, warps: int, num_warps: int) -> Sequence[Access]:
    """The accesses, a guess in place of each that `is_gathered`. `warps` of the launch, `num_warps` of a CTA."""
    if code is None:
        return accesses
    return [_guessed(each, accesses, code, warps, num_warps) if is_gathered(each) else each for each in accesses]


def _guessed(access: Access, accesses: Sequence[Access], code: Code, warps: int, num_warps: int) -> Access:
    own = _static(access)
    once = float(own * warps)
    alike = [each for each in accesses if each.direction is access.direction and each.space is Space.GLOBAL]
    known = sum(each.warp_instructions or each.requests or 0 for each in alike if not is_gathered(each))
    others = sum(_static(each) for each in alike if is_gathered(each))
    left = code.of(_ACTS[access.direction]) * warps - known
    instructions = max(once, left * own / others)
    elements = prod(access.shape) if access.shape else 1
    moved = instructions / (own * num_warps) * elements * _bytes(access)
    run = min(_limit(access, "contiguity"), elements) * _bytes(access)
    aligned = min(_SECTOR_BYTES, _limit(access, "divisibility") * _bytes(access))
    crossed = (1.0 - aligned / _SECTOR_BYTES) if run > aligned else 0.0
    runs = moved / run
    requests = max(1, round(instructions))
    return replace(
        access,
        requests=requests,
        warp_instructions=requests,
        sectors=max(1, round(runs * (ceil(run / _SECTOR_BYTES) + crossed))),
        sectors_ideal=max(1, ceil(moved / _SECTOR_BYTES)),
        lines=max(1, round(runs * ceil(run / _LINE_BYTES))),
        bytes_requested=round(moved),
        bytes_unique=round(moved),
        executions=max(1, round(instructions / own / num_warps)),
        confidence=Confidence.ASSUMED,
    )


def _static(access: Access) -> int:
    return sum(width.instructions for width in access.widths)


def _bytes(access: Access) -> float:
    return (access.element_bits or 0) / 8


def _limit(access: Access, kind: str) -> int:
    """Elements that axis analysis proves to lie side by side, or to be aligned to; 1 where it says nothing."""
    return max(1, next((each.elements for each in access.vector_limits if each.kind == kind), 1))
