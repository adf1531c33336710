"""One look for every table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gluon_inspect.report.text.palette import DIM, TITLE


@dataclass(frozen=True, slots=True)
class Head:
    """A column's title; `wrap` lets its cells use several lines, others are never broken."""

    title: str
    right: bool = False
    wrap: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """Safe text (`visible`) and the style it is drawn in."""

    text: str
    style: str = ""


def grid(title: str, heads: Sequence[Head], rows: Iterable[Sequence[Cell]]) -> Group:
    """A titled table with a rule under its head; `title` is safe text."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for head in heads:
        table.add_column(
            Text(head.title, DIM),
            justify="right" if head.right else "left",
            no_wrap=not head.wrap,
            overflow="fold" if head.wrap else "ellipsis",
        )
    for row in rows:
        table.add_row(*(Text(cell.text, cell.style) for cell in row))
    return Group(Text(title, TITLE), Padding(table, (0, 0, 0, 2)))


def hanging(prefix: Text, body: Text) -> Table:
    """`prefix`, then `body`, whose further lines are indented below its first."""
    pair = Table.grid(padding=0)
    pair.add_column(no_wrap=True)
    pair.add_column(overflow="fold")
    pair.add_row(prefix, body)
    return pair
