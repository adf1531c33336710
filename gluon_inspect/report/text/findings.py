"""Findings as compilers print them: what, where, the line with a caret, then evidence and help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.location import Location
from gluon_inspect.report.text.grid import hanging
from gluon_inspect.report.text.palette import DIM, GUTTER, LEVEL
from gluon_inspect.verdict.problems import Occurrence
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import duration, percent, plain
from gluon_inspect.wording.places import SourceLine, place, source_line

_NAME_CHARACTERS = 60
_EVIDENCE_CHARACTERS = 300


def finding_blocks(
    found: Sequence[Occurrence], sources: Mapping[str, str], width: int, *, evidence: bool
) -> Iterator[Group]:
    """One block a problem of a kernel; `evidence`: with the numbers that the message rests on."""
    for each in found:
        yield Group(*_block(each, sources, width, evidence))


def _block(found: Occurrence, sources: Mapping[str, str], width: int, evidence: bool) -> Iterator[RenderableType]:
    finding = found.finding
    yield Text.assemble(
        (f"{finding.severity.value}[{visible(finding.rule)}]", LEVEL[finding.severity.value]),
        (f" {visible(finding.name, _NAME_CHARACTERS)}", "bold"),
        (_price(finding), "bold"),
        f": {visible(finding.message)}",
    )
    yield from _place(finding.location, sources, width)
    numbers = ", ".join(f"{visible(key)} {visible(plain(value))}" for key, value in finding.evidence.items())
    if evidence and numbers:
        yield _remark("evidence", visible(numbers, _EVIDENCE_CHARACTERS))
    trust = ", ".join(_trust(finding, evidence))
    if trust:
        yield _remark("trust", trust)
    for side in found.also:
        yield _remark("also", f"{visible(side.rule)}: {visible(side.message)}")
    if finding.help:
        yield _remark("help", visible(finding.help))


def _price(finding: Finding) -> str:
    """What it loses, in time and as a share of the kernel's; nothing where no time is expected."""
    parts = [duration(finding.lost_seconds)] if finding.lost_seconds else []
    parts += [percent(finding.cost)] if finding.cost is not None else []
    return f" ({', '.join(parts)})" if parts else ""


def _trust(finding: Finding, everything: bool) -> Iterator[str]:
    """What the numbers rest on; proven ones, by a model that was checked, go without saying."""
    if everything or finding.confidence is not Confidence.EXACT:
        yield f"numbers {finding.confidence.value}"
    if everything or finding.model is not ModelStatus.VALIDATED:
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
