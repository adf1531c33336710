"""IR accesses against AMDGCN by source line: how many instructions of which width each line was to have, and has.

Two-address LDS instructions (ds_read2_b64, ds_store_2addr_b32) count as the two accesses that they join.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gluon_inspect.assembly import isa
from gluon_inspect.assembly.counts import author_line, instructions_of
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.asm import Assembly, Instruction
from gluon_inspect.model.location import Location

Widths = Mapping[int, int]
"""Bits a lane -> instructions a thread, as they stand in the binary."""
_Line = tuple[str, int]
_NOWHERE: _Line = ("", 0)
_Key = tuple[_Line, Space, Direction]


class Verdict(StrEnum):
    """How the instructions of a line stand to the accesses of the IR."""

    EQUAL = "as predicted"
    COPIES = "several copies of the loop or branch"
    JOINED = "LLVM joined neighbouring accesses into wider ones"
    SPLIT = "LLVM split accesses into narrower ones"
    REGROUPED = "the same bytes in other widths: LLVM regrouped accesses"
    MERGED = "fewer bytes than predicted: LLVM merged equal accesses or removed unused ones"
    MORE = "more bytes than predicted"
    UNLINED = "as predicted with instructions that LLVM left without a line"
    SCALAR = "uniform address: the scalar unit loads it (s_load)"
    ELSEWHERE = "its instructions carry another line"
    IDLE = "no lane is ever active: nothing to match"
    UNKNOWN = "the width is not predicted"
    MISSING = "no such instruction"


@dataclass(frozen=True, slots=True)
class LineMatch:
    """One line x memory x direction. `accesses`: ids; `names`: instructions with their counts."""

    location: Location | None
    space: Space
    direction: Direction
    accesses: tuple[str, ...]
    predicted: Widths
    found: Widths
    verdict: Verdict
    names: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(slots=True)
class _Found:
    widths: Counter[int] = field(default_factory=Counter[int])
    names: Counter[str] = field(default_factory=Counter[str])


def match_lines(
    assembly: Assembly, kernel: str, source_file: str, accesses: Iterable[Access]
) -> tuple[LineMatch, ...]:
    """One match for each line, memory and direction that the IR's accesses name, in their order.

    Copies to shared memory are matched once, by their global side. Bulk operations have no width and are left
    out.
    """
    found = _instructions(assembly, kernel, source_file)
    grouped: dict[_Key, list[Access]] = defaultdict(list)
    for access in accesses:
        if _is_matched(access):
            grouped[_line(access.location, source_file), access.space, access.direction].append(access)
    return tuple(_match(key, group, found) for key, group in grouped.items())


def _is_matched(access: Access) -> bool:
    if access.direction is Direction.COPY and access.space is not Space.GLOBAL:
        return False
    return access.space in (Space.GLOBAL, Space.SHARED) and (access.transactions is None or bool(access.widths))


def _line(location: Location | None, source_file: str) -> _Line:
    place = author_line(location, source_file) if location else None
    return (place.file, place.line) if place else _NOWHERE


def _instructions(assembly: Assembly, kernel: str, source_file: str) -> dict[_Key, _Found]:
    found: dict[_Key, _Found] = defaultdict(_Found)
    for each in instructions_of(assembly, kernel):
        memory = isa.classify(assembly.dialect, each)
        if memory is None or memory.local or not memory.bits:
            continue
        entry = found[_line(each.location, source_file), memory.space, memory.direction]
        pairs = 2 if _is_pair(each) else 1
        entry.widths[memory.bits // pairs] += pairs
        entry.names[isa.counted_name(assembly.dialect, each)] += 1
    return found


def two_address_lines(assembly: Assembly, kernel: str, source_file: str) -> frozenset[_Line]:
    """The author's (file, line) where most LDS reads of 64 bits stand in pairs (ds_read2_b64 and its kin)."""
    single, paired = Counter[_Line](), Counter[_Line]()
    for each in instructions_of(assembly, kernel):
        memory = isa.classify(assembly.dialect, each)
        if memory is None or memory.space is not Space.SHARED or memory.direction is not Direction.LOAD:
            continue
        if each.location is None or not memory.bits:
            continue
        pair = _is_pair(each)
        if memory.bits // (2 if pair else 1) == _PAIRED_BITS:
            (paired if pair else single)[_line(each.location, source_file)] += 2 if pair else 1
    return frozenset(place for place, count in paired.items() if count >= single[place])


_PAIRED_BITS = 64


def _is_pair(instruction: Instruction) -> bool:
    return "2addr" in instruction.opcode or instruction.opcode.startswith(("ds_read2", "ds_write2"))


def _match(key: _Key, group: Sequence[Access], found: Mapping[_Key, _Found]) -> LineMatch:
    (file, line), space, direction = key
    predicted = Counter[int]()
    for access in group:
        predicted.update({width.bits: width.instructions for width in access.widths})
    own = found.get(key, _Found())
    return LineMatch(
        Location(file, line) if line else None,
        space,
        direction,
        tuple(access.id for access in group),
        dict(sorted(predicted.items())),
        dict(sorted(own.widths.items())),
        _verdict(key, group, predicted, found),
        dict(own.names),
    )


def _verdict(key: _Key, group: Sequence[Access], predicted: Widths, found: Mapping[_Key, _Found]) -> Verdict:
    own = found.get(key)
    if own is not None:
        parts = [{width.bits: width.instructions for width in access.widths} for access in group]
        return _with_unlined(parts, own, found.get((_NOWHERE, *key[1:]))) if predicted else Verdict.UNKNOWN
    if all(access.requests == 0 for access in group):
        return Verdict.IDLE
    line, space, direction = key
    if (line, Space.SCALAR, Direction.LOAD) in found and not any(access.shape for access in group):
        return Verdict.SCALAR
    elsewhere = (widths for other, widths in found.items() if other[1:] == (space, direction))
    if any(set(predicted) & set(other.widths) for other in elsewhere):
        return Verdict.ELSEWHERE
    return Verdict.MISSING if predicted else Verdict.UNKNOWN


def _with_unlined(parts: Sequence[Widths], own: _Found, unlined: _Found | None) -> Verdict:
    """The verdict on a line's own instructions, and where some are missing with those that have no line."""
    verdict = compare(parts, own.widths)
    if verdict is not Verdict.MERGED or unlined is None:
        return verdict
    together = compare(parts, own.widths + unlined.widths)
    return Verdict.UNLINED if together in (Verdict.EQUAL, Verdict.COPIES) else verdict


def compare(parts: Sequence[Widths], found: Widths) -> Verdict:
    """How widths that were found stand to those that each access of a line predicts; none is empty."""
    predicted = Counter[int]()
    for part in parts:
        predicted.update(part)
    if dict(predicted) == dict(found):
        return Verdict.EQUAL
    if _is_copied(parts, predicted, found):
        return Verdict.COPIES
    wanted, got = _bits(predicted), _bits(found)
    if wanted == got:
        if min(found) >= min(predicted) and max(found) > max(predicted):
            return Verdict.JOINED
        if max(found) <= max(predicted) and min(found) < min(predicted):
            return Verdict.SPLIT
        return Verdict.REGROUPED
    return Verdict.MERGED if got < wanted else Verdict.MORE


_MOST_PARTS = 8


def _is_copied(parts: Sequence[Widths], predicted: Widths, found: Widths) -> bool:
    """Whether some of the accesses (a loop's) stand there several times and the others once."""
    extra = {bits: found.get(bits, 0) - count for bits, count in predicted.items()}
    if set(found) != set(predicted) or min(extra.values()) < 0:
        return False
    return any(_is_times(extra, chosen) for chosen in _unions(parts[:_MOST_PARTS]))


def _unions(parts: Sequence[Widths]) -> set[tuple[tuple[int, int], ...]]:
    """The widths of every choice of accesses."""
    sums: set[tuple[tuple[int, int], ...]] = {()}
    for part in parts:
        sums |= {tuple(sorted((Counter(dict(old)) + Counter(part)).items())) for old in sums}
    return sums - {()}


def _is_times(extra: Widths, chosen: tuple[tuple[int, int], ...]) -> bool:
    wanted = {bits: count for bits, count in extra.items() if count}
    if not wanted or set(wanted) != {bits for bits, _ in chosen}:
        return False
    factors = {wanted[bits] / count for bits, count in chosen}
    return len(factors) == 1 and factors.pop().is_integer()


def _bits(widths: Widths) -> int:
    return sum(bits * count for bits, count in widths.items())
