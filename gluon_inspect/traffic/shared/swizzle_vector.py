"""The vector tile of a conversion's scratch where no 16-byte tile is common to both sides.

The rules of `optimalSwizzlingLdSt` (triton-lang/triton, lib/Tools/GenericSwizzling.cpp, 3.6 to 3.9).
"""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.layouts.flat import FlatLayout, log2
from gluon_inspect.layouts.gf2 import intersection


def plain_vector(source: FlatLayout, target: FlatLayout, element_bits: int) -> tuple[list[int], bool | None]:
    """Bases of the vector tile, lowest offset first, and whose registers filled its 32-bit bank.

    The second value is True for the source's, False for the target's, None where registers common to
    both sides sufficed. Layouts are flat, without register copies.
    """
    vector = intersection(source.register, target.register, source.bits)[: log2(128 // element_bits)]
    if (1 << len(vector)) * element_bits >= 32:
        return vector, None
    from_source, more = _registers_of_other_warps(source, target, vector)
    vector = [*vector, *more]
    bank_bases = log2(32 // element_bits)
    warps = ([b for b in source.warp if b], [b for b in target.warp if b])
    if len(vector) < bank_bases:
        vector += intersection(warps[0], warps[1], source.bits)
    _append_warps(vector, warps, bank_bases)
    return vector[:bank_bases], from_source


def _registers_of_other_warps(
    source: FlatLayout, target: FlatLayout, vector: Sequence[int]
) -> tuple[bool, list[int]]:
    """Registers of one side that are warps of the other: wider there, no conflict here."""

    def of(side: FlatLayout, other: FlatLayout) -> list[int]:
        registers = [b for b in side.register if b not in vector]
        return intersection(registers, [b for b in other.warp if b], side.bits)

    first, second = of(source, target), of(target, source)
    tied = len(first) == len(second) and bool(first)
    from_source = min(first) < min(second) if tied else len(first) > len(second)
    return from_source, first if from_source else second


def _append_warps(vector: list[int], warps: tuple[Sequence[int], Sequence[int]], bank_bases: int) -> None:
    """Fill the bank with warp bases of both sides in turn: these avoid conflicts on one side at least."""
    for position in range(max(len(warps[0]), len(warps[1]))):
        if len(vector) >= bank_bases:
            return
        for side in warps:
            if len(vector) < bank_bases and position < len(side) and side[position] not in vector:
                vector.append(side[position])


def vectorised_first(
    bank: Sequence[int], source: FlatLayout, target: FlatLayout, from_source: bool | None
) -> tuple[int, ...]:
    """Bank bases reordered so that one side's registers follow the vector tile and widen its accesses."""
    of_source = [b for b in bank if b in source.register]
    of_target = [b for b in bank if b in target.register]
    if from_source is None:
        from_source = len(of_source) > len(of_target)
    front = of_source if from_source else of_target
    return (*front, *(b for b in bank if b not in front))
