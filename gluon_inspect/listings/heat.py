"""Each line's share of a launch's expected time: of assembly by the time model, of the others by their links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gluon_inspect.listings.document import Document, Heat
from gluon_inspect.listings.links import LinkIndex, pick
from gluon_inspect.model.cost import KernelCost, Stall, dominant


def heated_assembly(document: Document, cost: KernelCost | None) -> Document:
    """The listing with the share of each instruction; as it is where no time is known by instruction."""
    lines = {index: line for line, index in document.instructions.items()}
    standing = cost.standing if cost is not None else ()
    heat = {lines[each.index]: Heat(each.share, each.dominant) for each in standing if each.index in lines}
    return replace(document, heat=heat)


def heated_source(document: Document, cost: KernelCost | None) -> Document:
    """The file with the share of each of its lines."""
    standing = cost.standing_by_line() if cost is not None else ()
    heat = {
        each.location.line - 1: Heat(each.share, each.dominant)
        for each in standing
        if each.location is not None and each.location.file == document.name
    }
    return replace(document, heat=heat)


def heated_ir(document: Document, assembly: Document) -> Document:
    """The text with the shares of a listing's instructions, each at the lines that it was made from.

    Lines that share their place are not equal: those that do most of the work take an instruction's share, in
    equal parts. An instruction without a place counts nowhere.
    """
    index = LinkIndex(document)
    found: dict[int, dict[Stall | None, float]] = {}
    for line, heat in assembly.heat.items():
        lit = index.lit(pick(assembly, line))
        for at, part in _working(document.ranks, lit.strong or lit.weak).items():
            stalls = found.setdefault(at, {})
            stalls[heat.stall] = stalls.get(heat.stall, 0.0) + part * heat.share
    return replace(document, heat={line: _heat(stalls) for line, stalls in found.items()})


def _working(ranks: Mapping[int, int], lines: frozenset[int]) -> Mapping[int, float]:
    most = max((ranks.get(line, 0) for line in lines), default=0)
    chosen = [line for line in sorted(lines) if ranks.get(line, 0) == most]
    return dict.fromkeys(chosen, 1 / len(chosen)) if chosen else {}


def _heat(stalls: Mapping[Stall | None, float]) -> Heat:
    known = {stall: share for stall, share in stalls.items() if stall is not None}
    return Heat(sum(stalls.values()), dominant(known))
