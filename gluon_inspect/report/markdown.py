"""Markdown for a pull request or a job summary: the answer first, details folded, within the size limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from gluon_inspect.model.finding import Evidence, Table
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.tables.accesses import access_tables
from gluon_inspect.tables.changes import comparison_tables
from gluon_inspect.tables.conversions import conversion_tables
from gluon_inspect.tables.kernels import kernel_table
from gluon_inspect.tables.matrix import target_tables
from gluon_inspect.tables.resources import instruction_tables, resource_table
from gluon_inspect.verdict.problems import Occurrence, Problem, of_kernel, problems, worst_first
from gluon_inspect.wording import answer as words
from gluon_inspect.wording.markdown import MARKS, escaped, table_lines
from gluon_inspect.wording.numbers import plain, plural
from gluon_inspect.wording.places import place, source_line
from gluon_inspect.wording.verdict import verdict

NAME = "markdown"
LIMIT_CHARACTERS = 60_000
"""A GitHub comment takes 65,536; the rest is room for what a workflow adds around it."""
_CELL_CHARACTERS = 200
_HELP_CHARACTERS = 400
_PLACES = 6
_ROWS = 60
_TABLE_ROWS = 20
_FEWER = (60, 12, 3)
"""Findings of a kernel that are drawn, then how many where they do not fit."""
_SHORT_OF = 300
"""Characters kept for the line that says what is left out."""


def render(report: Report, style: Style = PLAIN) -> str:
    """The whole report; where it grows too long, tables go first, then details, then kernels, each time said."""
    found = problems(report)
    summary = _fitted(lambda rows: "\n".join(_summary(report, found, rows)))
    ordered = worst_first(report.kernels, found)
    blocks = _blocks(report, ordered, found, style, LIMIT_CHARACTERS - _SHORT_OF - len(summary))
    rest = len(ordered) - len(blocks)
    left_out = [f"\nDetails of {plural(rest, 'more kernel')} are left out here."] if rest else []
    return "\n".join([summary, *blocks, *left_out]) + "\n"


def _fitted(drawn: Callable[[int], str]) -> str:
    """What stands above the details, with as many rows a table as leave them half the room."""
    rows = _ROWS
    while len(text := drawn(rows)) > LIMIT_CHARACTERS // 2 and rows > 1:
        rows //= 2
    return text


def _blocks(
    report: Report, kernels: Sequence[KernelReport], found: Sequence[Problem], style: Style, room: int
) -> list[str]:
    """Findings of the worst kernels first, as many as there is room for; what is left goes to their tables."""
    blocks: list[str] = []
    own = [
        [occurrence for problem, occurrence in of_kernel(found, kernel) if style.everything or problem.is_shown]
        for kernel in kernels
    ]
    for kernel, each in zip(kernels, own, strict=True):
        drawn = ("\n".join(_details(report, kernel, each[:most], False)) for most in _FEWER)
        block = next((text for text in drawn if len(text) < room), None)
        if block is None:
            break
        blocks.append(block)
        room -= len(block) + 1
    for index, block in enumerate(blocks):
        whole = "\n".join(_details(report, kernels[index], own[index], True))
        if len(whole) - len(block) <= room:
            room -= len(whole) - len(block)
            blocks[index] = whole
    return blocks


def _code(text: str, limit: int = _CELL_CHARACTERS) -> str:
    return f"<code>{escaped(text, limit)}</code>"


def _summary(report: Report, found: Sequence[Problem], rows: int) -> Iterator[str]:
    nothing = "what changed" if report.comparison else "nothing was inspected"
    yield f"## gluon-inspect: {escaped(words.heading(report, found)) if report.kernels else nothing}\n"
    if report.error is not None:
        where = f"{report.error.file}:{report.error.line}" if report.error.file else "the script"
        yield f"**{escaped(where)} raised** {escaped(report.error.message)}\n"
    for table in (*comparison_tables(report.comparison), *target_tables(report)):
        yield from table_lines(table, most_rows=rows)
        yield ""
    yield from _answer(report, found)
    if len(report.kernels) > 1:
        yield f"<details><summary>{plural(len(report.kernels), 'kernel')}</summary>\n"
        yield from table_lines(kernel_table(report.kernels), most_rows=rows)
        yield "\n</details>"
    yield from (f"\n{escaped(note)}" for note in report.notes[:rows])


def _answer(report: Report, found: Sequence[Problem]) -> Iterator[str]:
    """What does not compile, then the worst problems: where, what, the price, and the change below it."""
    shown, failed = [problem for problem in found if problem.is_shown], words.failures(report)
    for failure in failed[: words.MOST]:
        place, name = _code(words.line_of(failure.location)), _code(failure.kernel.name)
        yield f"- {MARKS['error']} {place}: {name} {failure.what}{failure.share}  "
        yield f"  {escaped(failure.why, _HELP_CHARACTERS)}"
    for problem in shown[: max(0, words.MOST - len(failed))]:
        finding, price = problem.finding, words.price(problem)
        head = f"- {MARKS[problem.severity.value]} **{escaped(finding.rule)} {escaped(words.what(problem))}**"
        priced = f": **{escaped(price)}**" if price else ""
        yield f"{head} at {_code(words.lines_of(problem))} in {escaped(words.where(problem))}{priced}  "
        yield f"  {escaped(words.change(problem), _HELP_CHARACTERS)}"
    if rest := words.left(found, len(failed)):
        yield f"\n{escaped(rest)}"
    if found or failed:
        yield ""


def _title(kernel: KernelReport) -> str:
    judged = verdict(kernel)
    return (
        f"{MARKS[judged.level]} {_code(kernel.name)} for {escaped(kernel.kernel.target)}: {escaped(judged.text)}"
    )


def _details(
    report: Report, kernel: KernelReport, found: Sequence[Occurrence], with_tables: bool
) -> Iterator[str]:
    yield f"\n<details><summary>{_title(kernel)}</summary>\n"
    if kernel.made_from:
        yield f"Made from {escaped(kernel.made_from, 600)}\n"
    if kernel.kernel.error:
        yield f"{escaped(kernel.kernel.error, 2000)}\n"
    for each in found:
        yield from _finding(report, each)
    if left := len(kernel.findings) - sum(1 + len(each.also) + len(each.elsewhere) for each in found):
        yield f"{plural(left, 'finding')} are left out here, in the JSON report.\n"
    if with_tables:
        yield from _drawn((*access_tables(kernel), *conversion_tables(kernel)), _ROWS)
        yield from _drawn((resource_table(kernel), *instruction_tables(kernel), *kernel.tables), _TABLE_ROWS)
    else:
        yield "Its tables are left out here.\n"
    yield from (f"- problem: {escaped(problem)}" for problem in kernel.problems[:_ROWS])
    yield "\n</details>"


def _drawn(tables: Iterable[Table], most_rows: int) -> Iterator[str]:
    for table in tables:
        yield from table_lines(table, most_rows=most_rows)
        yield ""


def _finding(report: Report, found: Occurrence) -> Iterator[str]:
    finding = found.finding
    head = f"{MARKS[finding.severity.value]} **{escaped(finding.rule)} {escaped(finding.name)}**"
    yield f"{head} at {_code(place(finding.location))}: {escaped(finding.message, 1000)}\n"
    line = source_line(report.sources, finding.location)
    if line is not None:
        yield f"<pre>{line.line} | {escaped(line.text)}</pre>\n"
    evidence = ", ".join(f"{escaped(key)} {_value(value)}" for key, value in finding.evidence.items())
    trust = f"numbers {finding.confidence.value}, model {finding.model.value}"
    yield f"- {'; '.join(filter(None, (evidence, trust)))}"
    yield from (f"- also {escaped(side.rule)}: {escaped(side.message, 1000)}" for side in found.also)
    for other in found.elsewhere[:_PLACES]:
        yield f"- and at {_code(place(other.location))}"
    if more := len(found.elsewhere[_PLACES:]):
        yield f"- and at {plural(more, 'more place')}"
    if finding.help:
        yield f"- help: {escaped(finding.help, 1000)}"
    if finding.replacement is not None:
        yield f"- write: {_code(words.written(finding.replacement), _HELP_CHARACTERS)}"
    if command := words.explain_command(report, found):
        yield f"- more: {_code(command, _HELP_CHARACTERS)}"
    yield ""


def _value(value: Evidence) -> str:
    return escaped(plain(value))
