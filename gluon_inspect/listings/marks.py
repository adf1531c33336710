"""What stands beside a source line: the worst finding and how much of the traffic was needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.finding import Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.numbers import ratio

SYMBOLS = {"error": "✖", "warning": "▲", "note": "●", "clean": "✔", "unknown": "?"}
"""A shape for every level, so that it can be told without colour."""
_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


@dataclass(frozen=True, slots=True)
class Mark:
    """One line's mark: `level` a severity or empty; `text` such as "32/4 sectors a request", shortened."""

    level: str = ""
    text: str = ""


def marks_of(kernel: KernelReport, file: str) -> Mapping[int, Mark]:
    """Marks by 0-based line of a file."""
    levels: dict[int, Severity] = {}
    for finding in kernel.findings:
        for line in _lines(finding.location, file):
            levels[line] = min(levels.get(line, finding.severity), finding.severity, key=_ORDER.index)
    worst: dict[int, Access] = {}
    for access in kernel.accesses:
        for line in _lines(access.location, file):
            worst[line] = max(worst.get(line, access), access, key=_excess)
    return {
        line: Mark(levels[line].value if line in levels else "", _sectors(worst.get(line)))
        for line in {*levels, *worst}
    }


def _lines(location: Location | None, file: str) -> set[int]:
    """The lines of the file on the way: the place itself and the calls it was inlined through."""
    chain = location.chain if location is not None else ()
    return {place.line - 1 for place in chain if place.file == file and place.line}


def _excess(access: Access) -> float:
    efficiency = access.efficiency
    return -1.0 if efficiency is None else 1.0 - efficiency


def _sectors(access: Access | None) -> str:
    """Sectors of a request, and the ideal where it differs."""
    if access is None or access.space not in (Space.GLOBAL, Space.CLUSTER) or access.transactions is not None:
        return ""
    taken, ideal = access.sectors_per_request, access.ideal_per_request
    if taken is None:
        return "?"
    same = ideal is None or abs(taken - ideal) < 0.005
    return ratio(taken) if same else f"{_short(taken)}/{_short(ideal)}"


def _short(value: float | None) -> str:
    return "?" if value is None else f"{value:.3g}"
