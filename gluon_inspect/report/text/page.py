"""Pages for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from gluon_inspect.model.finding import Table
from gluon_inspect.model.page import Code, Heading, Part, Prose
from gluon_inspect.report import Style
from gluon_inspect.report.text.grid import Legend, grid
from gluon_inspect.report.text.palette import DIM, TITLE
from gluon_inspect.wording.characters import visible

_NARROWEST = 60
_SIGNS = {"-": "red", "+": "green"}


def page_as_text(parts: Iterable[Part], style: Style) -> str:
    """The page at a terminal's width; code is never broken; colour only where `style` says so."""
    output = StringIO()
    width = max(style.width, _NARROWEST)
    console = Console(
        file=output,
        width=width,
        force_terminal=style.colour,
        color_system="standard" if style.colour else None,
        no_color=not style.colour,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    for at, part in enumerate(parts):
        if at:
            console.print()
        console.print(_drawn(part), soft_wrap=isinstance(part, Code))
    return "\n".join(line.rstrip() for line in output.getvalue().split("\n"))


def _drawn(part: Part) -> RenderableType:
    match part:
        case Heading(text, level):
            return Text(visible(text), f"{TITLE} underline" if level == 1 else TITLE)
        case Prose(text):
            return Text(visible(text))
        case Code(lines, is_diff):
            return Group(*(_code(line, is_diff) for line in lines))
        case Table():
            return _table(part)


def _code(line: str, is_diff: bool) -> Text:
    style = _SIGNS.get(line[:1], "") if is_diff else ""
    return Text(f"  {visible(line)}", style)


def _table(table: Table) -> RenderableType:
    """Numbers and the first text stay whole; further texts use several lines where they must."""
    first = next((at for at, column in enumerate(table.columns) if column.align != "right"), -1)
    columns = tuple(
        replace(column, wraps=column.align != "right" and at != first) for at, column in enumerate(table.columns)
    )
    drawn = grid(replace(table, columns=columns), Legend(), blank="")
    if not table.note:
        return drawn
    return Group(drawn, Padding(Text(visible(table.note), DIM), (0, 0, 0, 2)))
