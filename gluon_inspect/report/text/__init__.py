"""The report for a terminal or a pipe: verdict first, then findings at the source line, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich.console import Console, RenderableType
from rich.text import Text

from gluon_inspect.model.change import Comparison
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.report.text.findings import finding_blocks
from gluon_inspect.report.text.grid import with_note
from gluon_inspect.report.text.header import header
from gluon_inspect.report.text.sections import NARROWEST, sections
from gluon_inspect.tables.changes import change_table
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import plural
from gluon_inspect.wording.verdict import tally

NAME = "text"
_CHANGES = 60


def render(report: Report, style: Style = PLAIN) -> str:
    """The report at a terminal's width; colour only where `style` says so."""
    output = StringIO()
    console = _console(style, output)
    if report.comparison is not None:
        for part in _changes(report.comparison):
            console.print(part)
        console.print()
    for kernel in report.kernels:
        _kernel(console, kernel, report, style)
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


def _changes(comparison: Comparison) -> Iterator[RenderableType]:
    table = change_table(comparison)
    if table.rows:
        yield from with_note(table, _CHANGES)
    else:
        yield Text(f"Nothing changed against {visible(comparison.baseline)}")


def _kernel(console: Console, kernel: KernelReport, report: Report, style: Style) -> None:
    for line in header(kernel):
        console.print(line)
    console.print()
    for block in finding_blocks(kernel, report.sources, console.width):
        console.print(block)
        console.print()
    for section in sections(kernel, style):
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
