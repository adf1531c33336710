"""Findings as compilers print them: what, where, the line with a caret, then evidence and help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gluon_inspect.model.finding import Finding
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport
from gluon_inspect.report.text.grid import hanging
from gluon_inspect.report.text.palette import DIM, GUTTER, LEVEL
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import percent, plain
from gluon_inspect.wording.places import SourceLine, place, source_line

_NAME_CHARACTERS = 60
_EVIDENCE_CHARACTERS = 300


def finding_blocks(kernel: KernelReport, sources: Mapping[str, str], width: int) -> Iterator[Group]:
    """One block a finding, in the report's order."""
    for finding in kernel.findings:
        yield Group(*_block(finding, sources, width))


def _block(finding: Finding, sources: Mapping[str, str], width: int) -> Iterator[RenderableType]:
    yield Text.assemble(
        (f"{finding.severity.value}[{visible(finding.rule)}]", LEVEL[finding.severity.value]),
        (f" {visible(finding.name, _NAME_CHARACTERS)}", "bold"),
        f": {visible(finding.message)}",
    )
    yield from _place(finding.location, sources, width)
    evidence = ", ".join(f"{visible(key)} {visible(plain(value))}" for key, value in finding.evidence.items())
    if evidence:
        yield _remark("evidence", visible(evidence, _EVIDENCE_CHARACTERS))
    yield _remark("trust", ", ".join(_trust(finding)))
    if finding.help:
        yield _remark("help", visible(finding.help))


def _trust(finding: Finding) -> Iterator[str]:
    yield f"numbers {finding.confidence.value}"
    yield f"model {finding.model.value}"
    if finding.cost is not None:
        yield f"predicted loss {percent(finding.cost)} of the kernel's time"


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
