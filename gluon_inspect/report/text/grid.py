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
from gluon_inspect.wording.characters import shortened

_GAP = 2
_NARROWEST = 12
_LONG_TITLE = 10


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
            Text(_stacked(head.title), DIM),
            justify="right" if head.right else "left",
            no_wrap=not head.wrap,
            overflow="fold" if head.wrap else "ellipsis",
        )
    for row in rows:
        table.add_row(*(Text(cell.text, cell.style) for cell in row))
    return Group(Text(title, TITLE), Padding(table, (0, 0, 0, 2)))


def _stacked(title: str) -> str:
    """A long title on two lines, broken at the space nearest its middle."""
    spaces = [at for at, character in enumerate(title) if character == " "]
    if len(title) <= _LONG_TITLE or not spaces:
        return title
    middle = min(spaces, key=lambda at: abs(2 * at - len(title)))
    return f"{title[:middle]}\n{title[middle + 1 :]}"


def _title_width(head: Head) -> int:
    return max(len(line) for line in _stacked(head.title).split("\n"))


def hanging(prefix: Text, body: Text) -> Table:
    """`prefix`, then `body`, whose further lines are indented below its first."""
    pair = Table.grid(padding=0)
    pair.add_column(no_wrap=True)
    pair.add_column(overflow="fold")
    pair.add_row(prefix, body)
    return pair


def fitted(heads: Sequence[Head], rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """The rows with the widest text column cut to what a terminal's `width` leaves it; numbers stay whole."""
    if not rows:
        return []
    natural = [max(_title_width(head), *(len(row[at]) for row in rows)) for at, head in enumerate(heads)]
    texts = [at for at, head in enumerate(heads) if not head.right]
    excess = sum(natural) + _GAP * len(heads) - width
    if excess <= 0 or not texts:
        return [list(row) for row in rows]
    widest = max(texts, key=natural.__getitem__)
    room = max(natural[widest] - excess, _NARROWEST)
    return [[shortened(text, room) if at == widest else text for at, text in enumerate(row)] for row in rows]
