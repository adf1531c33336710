"""At the end of a line: its share of the time, and what it moves over what would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol.types import InlayHint, Position

from gluon_inspect.lsp.lines import Encoding, Lines, units
from gluon_inspect.lsp.seen import Seen, is_in, of_file, seconds
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.numbers import percent, ratio

_LEAST_SHARE = 0.02
_LEAST_RATIO = 1.05


def hints(
    seen: Sequence[Seen], file: str, text: str, first: int, last: int, encoding: Encoding
) -> list[InlayHint]:
    """Hints for the lines `first` to `last` of the text, by the launch that takes longest."""
    found: dict[int, str] = {}
    for each, lines in of_file(seen, file, text):
        for line, label in _labels(each, lines, file):
            if first <= line <= last:
                found.setdefault(line, label)
    shown = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [
        InlayHint(Position(line, units(shown[line], encoding)), label, padding_left=True)
        for line, label in sorted(found.items())
        if line < len(shown)
    ]


def _labels(seen: Seen, lines: Lines, file: str) -> Iterator[tuple[int, str]]:
    """Each line with its label, the launch that takes longest first."""
    for kernel in sorted(seen.report.kernels, key=seconds, reverse=True):
        moved, shares = _moved(kernel, file), _shares(kernel, file)
        for recorded in sorted({*moved, *shares}):
            parts = (
                f"{percent(shares[recorded])} of the time" if shares.get(recorded, 0) >= _LEAST_SHARE else "",
                *moved.get(recorded, ()),
            )
            line, label = lines.now(recorded), ", ".join(filter(None, parts))
            if line is not None and label:
                yield line, label


def _shares(kernel: KernelReport, file: str) -> dict[int, float]:
    """Where warps stand, by line, where the assembly tells; else what each line's accesses take alone."""
    cost = kernel.cost
    if cost is None or not cost.seconds:
        return {}
    found: dict[int, float] = {}
    for each in cost.standing_by_line():
        if each.location is not None and is_in(each.location, file):
            line = each.location.author.line
            found[line] = found.get(line, 0.0) + each.share
    if found:
        return found
    places = {access.id: access.location for access in kernel.accesses}
    for own in cost.per_access:
        place = places.get(own.id)
        if place is not None and is_in(place, file):
            found[place.author.line] = min(1.0, found.get(place.author.line, 0.0) + own.seconds / cost.seconds)
    return found


def _moved(kernel: KernelReport, file: str) -> dict[int, tuple[str, ...]]:
    lines: dict[int, list[Access]] = {}
    for access in kernel.accesses:
        if access.location is not None and is_in(access.location, file):
            lines.setdefault(access.location.author.line, []).append(access)
    return {line: tuple(_over(own)) for line, own in lines.items()}


def _over(accesses: Sequence[Access]) -> Iterator[str]:
    known = [each for each in accesses if each.space is not Space.SHARED and each.sectors is not None]
    sectors, ideal = (sum(getattr(each, name) or 0 for each in known) for name in ("sectors", "sectors_ideal"))
    if ideal and sectors / ideal >= _LEAST_RATIO:
        yield f"{ratio(sectors / ideal)}× the sectors"
    shared = [each for each in accesses if each.space is Space.SHARED and each.wavefronts is not None]
    waves, least = (
        sum(getattr(each, name) or 0 for each in shared) for name in ("wavefronts", "wavefronts_ideal")
    )
    if least and waves / least >= _LEAST_RATIO:
        yield f"{ratio(waves / least)}× the wavefronts"
