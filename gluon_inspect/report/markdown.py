"""Markdown for a pull request comment or a job summary: changes first, details folded, within the size limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gluon_inspect.model.finding import Evidence, Finding, Table
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.tables.accesses import access_tables
from gluon_inspect.tables.changes import change_table
from gluon_inspect.tables.conversions import conversion_tables
from gluon_inspect.tables.kernels import kernel_table
from gluon_inspect.tables.resources import instruction_tables, resource_table
from gluon_inspect.wording.markdown import MARKS, escaped, table_lines
from gluon_inspect.wording.numbers import plain, plural
from gluon_inspect.wording.places import place, source_line
from gluon_inspect.wording.verdict import tally, verdict

NAME = "markdown"
LIMIT_CHARACTERS = 60_000
"""A GitHub comment takes 65,536; the rest is room for what a workflow adds around it."""
_CELL_CHARACTERS = 200
_ROWS = 60
_TABLE_ROWS = 20
_NO_TABLES = ("Its tables are left out here.\n",)


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
        yield from table_lines(kernel_table(report.kernels), most_rows=_ROWS)
    yield from (f"\n{escaped(note)}" for note in report.notes[:_ROWS])


def _changes(report: Report) -> Iterator[str]:
    if report.comparison is None:
        return
    table = change_table(report.comparison)
    if table.rows:
        yield from table_lines(table, most_rows=_ROWS)
    else:
        yield f"Nothing changed against {escaped(report.comparison.baseline)}."
    yield ""


def _value(value: Evidence) -> str:
    return escaped(plain(value))


def _details(report: Report, kernel: KernelReport, tables: Iterable[str]) -> Iterator[str]:
    judged = verdict(kernel)
    title = f"{_code(kernel.name)} for {escaped(kernel.kernel.target)}: {escaped(judged.text)}"
    yield f"\n<details><summary>{MARKS[judged.level]} {title}</summary>\n"
    if kernel.made_from:
        yield f"Made from {escaped(kernel.made_from, 600)}\n"
    if kernel.kernel.error:
        yield f"{escaped(kernel.kernel.error, 2000)}\n"
    for finding in kernel.findings[:_ROWS]:
        yield from _finding(report, finding)
    yield from _drawn((*access_tables(kernel), *conversion_tables(kernel)), _ROWS)
    yield from tables
    yield from (f"- problem: {escaped(problem)}" for problem in kernel.problems[:_ROWS])
    yield "\n</details>"


def _tables(kernel: KernelReport) -> Iterator[str]:
    yield from _drawn((resource_table(kernel), *instruction_tables(kernel), *kernel.tables), _TABLE_ROWS)


def _drawn(tables: Iterable[Table], most_rows: int) -> Iterator[str]:
    for table in tables:
        yield from table_lines(table, most_rows=most_rows)
        yield ""


def _finding(report: Report, finding: Finding) -> Iterator[str]:
    head = f"{MARKS[finding.severity.value]} **{escaped(finding.rule)} {escaped(finding.name)}**"
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
