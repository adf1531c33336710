"""IR against assembly: executed counts by instruction name, and widths that the two do not agree on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gluon_inspect.assembly import isa
from gluon_inspect.assembly.counts import instructions_of
from gluon_inspect.assembly.line_match import Verdict, match_lines
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.asm import Assembly

Key = tuple[Space, Direction, int]
"""Memory, direction and bits a lane of one kind of instruction."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """`executed`: warp instructions of the whole launch by the assembly's names, where known.

    `missing`: kinds that the IR predicts and the assembly lacks, in words.
    """

    executed: Mapping[str, int]
    missing: tuple[str, ...]


def reconcile(
    assembly: Assembly | None, kernel: str, accesses: Sequence[Access], source_file: str = ""
) -> Reconciled:
    """Match accesses with instructions by memory, direction and width; what AMDGCN lacks, by line.

    LLVM joins and splits AMD's accesses, so a width that is not there is no fault; a line without any is. A
    kind that several names share (two opcodes of one width) is not split between them.
    """
    if assembly is None:
        return Reconciled({}, ())
    names = _names(assembly, kernel)
    totals: dict[Key, int | None] = {}
    missing: list[str] = []
    for access in accesses:
        for key in _keys(access):
            if key not in names:
                missing.append(_described(access, key, names))
            before = totals.get(key, 0)
            count = access.warp_instructions if len(access.widths) == 1 else None
            totals[key] = None if before is None or count is None else before + count
    executed = {
        next(iter(names[key])): count
        for key, count in totals.items()
        if count is not None and len(names.get(key, ())) == 1
    }
    if assembly.dialect == isa.Dialect.AMDGCN:
        missing = list(_missing_lines(assembly, kernel, accesses, source_file))
    return Reconciled(executed, tuple(dict.fromkeys(missing)))


def _missing_lines(assembly: Assembly, kernel: str, accesses: Sequence[Access], source_file: str) -> Iterator[str]:
    for match in match_lines(assembly, kernel, source_file, accesses):
        if match.verdict is Verdict.MISSING:
            where = f" at {match.location}" if match.location else ""
            yield f"the IR has a {match.space} {match.direction}{where}, the assembly no such instruction"


def _names(assembly: Assembly, kernel: str) -> Mapping[Key, set[str]]:
    names: dict[Key, set[str]] = defaultdict(set)
    for instruction in instructions_of(assembly, kernel):
        found = isa.classify(assembly.dialect, instruction)
        if found is not None and found.bits:
            key = (found.space, found.direction, found.bits)
            names[key].add(isa.counted_name(assembly.dialect, instruction))
    return dict(names)


def _keys(access: Access) -> list[Key]:
    if access.space is not Space.GLOBAL or access.direction is Direction.ATOMIC or access.requests == 0:
        return []
    return [(access.space, access.direction, width.bits) for width in access.widths]


def _described(access: Access, key: Key, names: Mapping[Key, set[str]]) -> str:
    where = f" at {access.location}" if access.location else ""
    others = sorted(bits for space, direction, bits in names if (space, direction) == key[:2])
    seen = f"has only {', '.join(map(str, others))}-bit ones" if others else "has none"
    return f"the IR predicts {key[2]}-bit global {key[1]}s{where}, the assembly {seen}"
