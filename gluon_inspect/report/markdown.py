"""Markdown for a pull request comment or a job summary: changes first, details folded, within the size limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.change import Change
from gluon_inspect.model.finding import Evidence, Finding, Scalar
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.wording.layouts import short_layout
from gluon_inspect.wording.markdown import escaped, table_lines
from gluon_inspect.wording.numbers import count, percent, plain, plural, ratio
from gluon_inspect.wording.places import place, source_line
from gluon_inspect.wording.verdict import tally, verdict

NAME = "markdown"
SUFFIX = ".md"
LIMIT_CHARACTERS = 60_000
"""A GitHub comment takes 65,536; the rest is room for what a workflow adds around it."""
_CELL_CHARACTERS = 200
_ROWS = 60
_TABLE_ROWS = 20
_NO_TABLES = ("Its tables are left out here.\n",)
_MARKS = {"error": "🔴", "warning": "🟡", "note": "🔵", "clean": "🟢", "unknown": "⚪"}


def render(report: Report, style: Style = PLAIN) -> str:  # noqa: ARG001 - Markdown has no width
    """The whole report; details of the last kernels are left out, and this is said, where it grows too long."""
    summary = "\n".join(_summary(report))
    blocks = _blocks(report, LIMIT_CHARACTERS - len(summary))
    length, parts = len(summary), [summary]
    for index, block in enumerate(blocks):
        length += len(block) + 1
        if length > LIMIT_CHARACTERS:
            parts.append(f"\nDetails of {plural(len(blocks) - index, 'more kernel')} are left out here.")
            break
        parts.append(block)
    return "\n".join(parts) + "\n"


def _blocks(report: Report, room: int) -> list[str]:
    """The details of each kernel; the analyses' tables only in the first that leave room for all the others."""
    blocks = ["\n".join(_details(report, kernel, _NO_TABLES[: len(kernel.tables)])) for kernel in report.kernels]
    room -= sum(len(block) + 1 for block in blocks)
    for index, kernel in enumerate(report.kernels):
        if kernel.tables and room > 0:
            whole = "\n".join(_details(report, kernel, _tables(kernel)))
            room -= len(whole) - len(blocks[index])
            blocks[index] = whole if room >= 0 else blocks[index]
    return blocks


def _code(text: str, limit: int = _CELL_CHARACTERS) -> str:
    return f"<code>{escaped(text, limit)}</code>"


def _summary(report: Report) -> Iterator[str]:
    findings = [finding for kernel in report.kernels for finding in kernel.findings]
    number = plural(len(report.kernels), "kernel")
    yield f"## gluon-inspect: {tally(findings) or 'no findings'} in {number}\n"
    if report.error is not None:
        where = f"{report.error.file}:{report.error.line}" if report.error.file else "the script"
        yield f"**{escaped(where)} raised** {escaped(report.error.message)}\n"
    yield from _changes(report)
    if report.kernels:
        yield "| | kernel | target | grid | verdict |\n|---|---|---|---|---|"
        yield from (_row(kernel) for kernel in report.kernels[:_ROWS])
        if len(report.kernels) > _ROWS:
            yield f"| | {plural(len(report.kernels) - _ROWS, 'more kernel')} | | | |"
    yield from (f"\n{escaped(note)}" for note in report.notes[:_ROWS])


def _changes(report: Report) -> Iterator[str]:
    comparison = report.comparison
    if comparison is None:
        return
    if not comparison.changes:
        yield f"Nothing changed against {escaped(comparison.baseline)}.\n"
        return
    yield f"### Changes against {escaped(comparison.baseline)}\n"
    yield "| | kernel | what | before | after |\n|---|---|---|--:|--:|"
    yield from (_change(change) for change in comparison.changes[:_ROWS])
    if len(comparison.changes) > _ROWS:
        yield f"| | {plural(len(comparison.changes) - _ROWS, 'more change')} | | | |"
    yield ""


def _change(change: Change) -> str:
    mark = {True: "better", False: "**worse**", None: "changed"}[change.better]
    kernel = f"{_code(change.kernel)} {escaped(change.target)}"
    return f"| {mark} | {kernel} | {escaped(change.subject)} | {_side(change.before)} | {_side(change.after)} |"


def _side(value: Scalar) -> str:
    return "none" if value is None else _value(value)


def _value(value: Evidence) -> str:
    return escaped(plain(value))


def _row(kernel: KernelReport) -> str:
    judged = verdict(kernel)
    grid = "x".join(str(axis) for axis in kernel.launch.grid) if kernel.launch.grid else "unknown"
    target = escaped(kernel.kernel.target)
    return f"| {_MARKS[judged.level]} | {_code(kernel.name)} | {target} | {grid} | {escaped(judged.text)} |"


def _details(report: Report, kernel: KernelReport, tables: Iterable[str]) -> Iterator[str]:
    judged = verdict(kernel)
    title = f"{_code(kernel.name)} for {escaped(kernel.kernel.target)}: {escaped(judged.text)}"
    yield f"\n<details><summary>{_MARKS[judged.level]} {title}</summary>\n"
    if kernel.made_from:
        yield f"Made from {escaped(kernel.made_from, 600)}\n"
    if kernel.kernel.error:
        yield f"{escaped(kernel.kernel.error, 2000)}\n"
    for finding in kernel.findings[:_ROWS]:
        yield from _finding(report, finding)
    yield from _accesses(kernel)
    yield from tables
    yield from (f"- problem: {escaped(problem)}" for problem in kernel.problems[:_ROWS])
    yield "\n</details>"


def _tables(kernel: KernelReport) -> Iterator[str]:
    for table in kernel.tables:
        yield from table_lines(table, most_rows=_TABLE_ROWS)
        yield ""


def _finding(report: Report, finding: Finding) -> Iterator[str]:
    head = f"{_MARKS[finding.severity.value]} **{escaped(finding.rule)} {escaped(finding.name)}**"
    yield f"{head} at {_code(place(finding.location))}: {escaped(finding.message, 1000)}\n"
    line = source_line(report.sources, finding.location)
    if line is not None:
        yield f"<pre>{line.line} | {escaped(line.text)}</pre>\n"
    evidence = ", ".join(f"{escaped(key)} {_value(value)}" for key, value in finding.evidence.items())
    trust = f"numbers {finding.confidence.value}, model {finding.model.value}"
    yield f"- {'; '.join(filter(None, (evidence, trust)))}"
    if finding.help:
        yield f"- help: {escaped(finding.help, 1000)}"
    yield ""


def _accesses(kernel: KernelReport) -> Iterator[str]:
    shown = kernel.accesses[:_ROWS]
    shared = [access for access in shown if access.space is Space.SHARED and not access.is_bulk]
    others = [access for access in shown if access not in shared]
    yield from _grid("sectors | per request | used", [(access, _sectors(access)) for access in others])
    yield from _grid("wavefronts | at best", [(access, _wavefronts(access)) for access in shared])


def _grid(counted: str, rows: Sequence[tuple[Access, tuple[str, ...]]]) -> Iterator[str]:
    if not rows:
        return
    yield f"| line | access | layout | bits | requests | {counted} | trust |"
    yield f"|--:|---|---|--:|--:|{'--:|' * len(rows[0][1])}---|"
    yield from (_access(access, counts) for access, counts in rows)
    yield ""


def _sectors(access: Access) -> tuple[str, ...]:
    each = "" if access.is_bulk else ratio(access.sectors_per_request)
    return count(access.sectors), each, percent(access.efficiency)


def _wavefronts(access: Access) -> tuple[str, ...]:
    return count(access.wavefronts), count(access.wavefronts_ideal)


def _access(access: Access, counts: tuple[str, ...]) -> str:
    cells = (
        str(access.location.author.line) if access.location else "unknown",
        escaped(f"{access.space.value} {access.direction.value} {access.op}"),
        _code(short_layout(access.layout)) if access.layout else "",
        "" if access.is_bulk else count(access.vector_bits),
        "" if access.is_bulk else count(access.requests),
        *counts,
        access.confidence.value,
    )
    return f"| {' | '.join(cells)} |"
