"""The report for a terminal or a pipe: verdict first, then findings at the source line, then the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from rich.console import Console, Group
from rich.text import Text

from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.report.text.answer import answer, one_line, repeated
from gluon_inspect.report.text.findings import finding_blocks
from gluon_inspect.report.text.grid import with_note
from gluon_inspect.report.text.header import header
from gluon_inspect.report.text.sections import NARROWEST, sections
from gluon_inspect.tables.changes import comparison_tables
from gluon_inspect.tables.matrix import target_tables
from gluon_inspect.tables.rules import rule_table
from gluon_inspect.verdict.problems import Occurrence, Problem, of_kernel, problems, worst_first
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import plural
from gluon_inspect.wording.verdict import tally, verdict

NAME = "text"
_CHANGES = 60


def render(report: Report, style: Style = PLAIN) -> str:
    """The report at a terminal's width; colour only where `style` says so."""
    output = StringIO()
    console = _console(style, output)
    for table in (*comparison_tables(report.comparison), *target_tables(report)):
        console.print(Group(*with_note(table, _CHANGES)) if table.columns else Text(visible(table.title)))
        console.print()
    found = problems(report)
    for part in answer(report, found, console.width) if report.kernels else ():
        console.print(part)
    if style.statistics:
        for part in with_note(rule_table(report), _CHANGES):
            console.print(part)
    _kernels(console, report, style, found)
    _summary(console, report)
    return "\n".join(line.rstrip() for line in output.getvalue().split("\n"))


def _console(style: Style, output: StringIO) -> Console:
    return Console(
        file=output,
        width=max(style.width, NARROWEST),
        force_terminal=style.colour,
        color_system="standard" if style.colour else None,
        no_color=not style.colour,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )


def _own(found: Sequence[Problem], kernel: KernelReport, style: Style) -> tuple[tuple[Problem, Occurrence], ...]:
    """The findings to draw at one kernel: those that are worth it, or all."""
    return tuple(pair for pair in of_kernel(found, kernel) if style.everything or pair[0].is_shown)


def _kernels(console: Console, report: Report, style: Style, found: Sequence[Problem]) -> None:
    """Every entry, worst first; neighbours of one kernel and verdict that say nothing new share a line."""
    drawn: set[int] = set()
    quiet: list[tuple[KernelReport, list[Problem]]] = []
    for kernel in worst_first(report.kernels, found):
        own = _own(found, kernel, style)
        new = [occurrence for problem, occurrence in own if style.details or id(problem) not in drawn]
        again = [problem for problem, _ in own if not style.details and id(problem) in drawn]
        if style.brief or not (style.details or kernel.kernel.error or kernel.unread or new):
            if quiet and not _alike(quiet[-1], (kernel, again)):
                _flush(console, quiet)
            quiet.append((kernel, again))
            continue
        drawn.update(id(problem) for problem, _ in own)
        _flush(console, quiet)
        _kernel(console, kernel, report, style, new, again)
    _flush(console, quiet)


def _alike(one: tuple[KernelReport, list[Problem]], other: tuple[KernelReport, list[Problem]]) -> bool:
    def shown(kernel: KernelReport) -> tuple[str, str, str]:
        return (kernel.name, kernel.kernel.target, verdict(kernel).level)

    return shown(one[0]) == shown(other[0]) and one[1] == other[1]


def _flush(console: Console, quiet: list[tuple[KernelReport, list[Problem]]]) -> None:
    if quiet:
        console.print(one_line([kernel for kernel, _ in quiet], quiet[0][1]))
        quiet.clear()


def _kernel(
    console: Console,
    kernel: KernelReport,
    report: Report,
    style: Style,
    new: Sequence[Occurrence],
    again: Sequence[Problem],
) -> None:
    console.print()
    for line in header(kernel, details=style.details):
        console.print(line)
    for block in finding_blocks(report, new, console.width, evidence=style.details):
        console.print(block)
    for line in repeated(again):
        console.print(line)
    for section in sections(kernel, style):
        console.print()
        console.print(section)
    console.print()


def _summary(console: Console, report: Report) -> None:
    for note in report.notes:
        console.print(Text(f"note: {visible(note)}", "dim"))
    findings = [finding for kernel in report.kernels for finding in kernel.findings]
    launches = sum(kernel.launch.count for kernel in report.kernels)
    if not report.kernels and report.comparison is not None:
        return
    parts = [plural(len(report.kernels), "kernel"), plural(launches, "launch")]
    broken = sum(1 for kernel in report.kernels if kernel.kernel.error or kernel.unread)
    if broken:
        parts.append(f"{broken} not compiled or not read")
    if report.kernels:
        console.print(Text(", ".join([*parts, tally(findings) or "no findings"]), "bold"))
    else:
        console.print(Text(f"{', '.join(parts)}: nothing was inspected", "bold"))
