"""Findings as compilers print them: what, where, the line with a caret, then evidence and help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import Finding, Replacement
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import Report
from gluon_inspect.report.text.grid import hanging
from gluon_inspect.report.text.palette import DIM, GUTTER, LEVEL
from gluon_inspect.verdict.problems import Occurrence
from gluon_inspect.wording import answer as words
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import duration, percent, plain, plural
from gluon_inspect.wording.places import SourceLine, place, source_line

_NAME_CHARACTERS = 60
_EVIDENCE_CHARACTERS = 300
_ELSEWHERE_CHARACTERS = 88
_PLACES = 3


def finding_blocks(report: Report, found: Sequence[Occurrence], width: int, *, evidence: bool) -> Iterator[Group]:
    """One block a problem of a kernel; `evidence`: with the numbers that the message rests on."""
    for each in found:
        yield Group(*_block(report, each, width, evidence))


def _block(report: Report, found: Occurrence, width: int, evidence: bool) -> Iterator[RenderableType]:
    finding, sources = found.finding, report.sources
    yield Text.assemble(
        (f"{finding.severity.value}[{visible(finding.rule)}]", LEVEL[finding.severity.value]),
        (f" {visible(finding.name, _NAME_CHARACTERS)}", "bold"),
        (_price(finding, _trust(finding)), "bold"),
        f": {visible(finding.message)}",
    )
    yield from _place(finding.location, sources, width)
    numbers = ", ".join(f"{visible(key)} {visible(plain(value))}" for key, value in finding.evidence.items())
    if evidence and numbers:
        yield _remark("evidence", visible(numbers, _EVIDENCE_CHARACTERS))
    for side in found.also:
        yield _remark("also", f"{visible(side.rule)}: {visible(side.message)}")
    yield from _elsewhere(found.elsewhere, sources, None if evidence else _PLACES)
    if finding.help:
        yield _remark("help", visible(finding.help))
    if finding.replacement is not None:
        yield from _replacement(finding.replacement)
    if command := words.explain_command(report, found):
        yield _remark("more", visible(command))


def _elsewhere(found: Sequence[Finding], sources: Mapping[str, str], most: int | None) -> Iterator[RenderableType]:
    """Further places that the same change mends, a line each."""
    for each in found[:most]:
        line = source_line(sources, each.location)
        code = "" if line is None else f": {line.text.strip()}"
        at = visible(f"{words.line_of(each.location)}{_price(each)}{code}", _ELSEWHERE_CHARACTERS)
        yield _remark("and at", at)
    if more := len(found[most:]) if most is not None else 0:
        yield _remark("and at", f"{plural(more, 'more place')} (--details)")


def _replacement(replacement: Replacement) -> Iterator[RenderableType]:
    first, *rest = (visible(line) for line in replacement.source)
    yield _remark("write", "\n".join((first, *rest)) + visible(words.gain(replacement)))


def _price(finding: Finding, trust: Iterable[str] = ()) -> str:
    """What it loses, in time and as a share of the kernel's, and what that rests on; nothing where nothing is."""
    parts = [duration(finding.lost_seconds)] if finding.lost_seconds else []
    parts += [percent(finding.cost)] if finding.cost is not None else []
    parts += trust
    return f" ({', '.join(parts)})" if parts else ""


def _trust(finding: Finding) -> Iterator[str]:
    """What the numbers rest on; proven ones, by a model that was checked, go without saying."""
    if finding.confidence is not Confidence.EXACT:
        yield f"numbers {finding.confidence.value}"
    if finding.model is not ModelStatus.VALIDATED:
        yield f"model {finding.model.value}"


def _place(location: Location | None, sources: Mapping[str, str], width: int) -> Iterator[RenderableType]:
    if location is None:
        return
    yield hanging(Text("  --> ", GUTTER), Text(visible(place(location))))
    line = source_line(sources, location)
    if line is not None:
        yield from _excerpt(line, width)
    for inner in location.library:
        yield Text.assemble(("  inlined from ", GUTTER), visible(place(inner)))
    for caller in location.author.callers:
        yield Text.assemble(("  called from ", GUTTER), visible(place(caller)))


def _excerpt(line: SourceLine, width: int) -> Iterator[Text]:
    number = str(line.line)
    gutter = f"{' ' * len(number)} | "
    room = max(width - len(gutter) - 1, 20)
    start = max(0, line.column - room // 2) if len(line.text) > room else 0
    yield Text.assemble((f"{number} | ", GUTTER), visible(line.text[start : start + room], room))
    if line.column:
        before = visible(line.text[start : line.column - 1])
        yield Text.assemble((gutter, GUTTER), " " * len(before), ("^", LEVEL["error"]))


def _remark(title: str, text: str) -> Table:
    return hanging(Text.assemble(("  = ", GUTTER), (f"{title}: ", DIM)), Text(text))
