"""One look for every table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
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
    """A titled table with a rule under its head; `title` is safe text.

    Where it is too wide its longest texts are cut. Numbers stay whole.
    """
    return Group(Text(title, TITLE), Padding(_Grid(heads, [list(row) for row in rows]), (0, 0, 0, 2)))


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table that is laid out once the room for it is known."""

    heads: Sequence[Head]
    rows: Sequence[Sequence[Cell]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
        for head in self.heads:
            table.add_column(
                Text(_stacked(head.title), DIM),
                justify="right" if head.right else "left",
                no_wrap=not head.wrap,
                overflow="fold" if head.wrap else "ellipsis",
            )
        rooms = _rooms(self.heads, self.rows, options.max_width)
        for row in self.rows:
            cells = zip(row, rooms, strict=True)
            table.add_row(*(Text(shortened(c.text, n), c.style) for c, n in cells))
        yield table


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


def _rooms(heads: Sequence[Head], rows: Sequence[Sequence[Cell]], width: int) -> list[int]:
    """The characters of each column: what it holds, the longest texts giving way until the table fits.

    Tables with columns that wrap are left to these.
    """
    rooms = [max((_title_width(head), *(len(row[at].text) for row in rows))) for at, head in enumerate(heads)]
    texts = [] if any(head.wrap for head in heads) else [at for at, head in enumerate(heads) if not head.right]
    excess = sum(rooms) + _GAP * (len(heads) - 1) - width
    while excess > 0 and texts:
        widest = max(texts, key=rooms.__getitem__)
        least = max(_NARROWEST, _title_width(heads[widest]))
        if rooms[widest] <= least:
            break
        given = min(excess, rooms[widest] - least)
        rooms[widest] -= given
        excess -= given
    return rooms
