"""One look for every table of a terminal; layouts stand in a legend, by letter, so that rows stay short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Table, Tone
from gluon_inspect.report.text.palette import DIM, LEVEL, TITLE
from gluon_inspect.wording.cells import layouts_of, remarks_of, said, title_of
from gluon_inspect.wording.characters import shortened, visible
from gluon_inspect.wording.layouts import short_layout
from gluon_inspect.wording.numbers import UNKNOWN, plural

_GAP = 2
_NARROWEST = 12
_LONG_TITLE = 10
_MOST_REMARKS = 60
_NO_LAYOUT = "-"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TONES = {
    Tone.GOOD: "green",
    Tone.FAIR: "yellow",
    Tone.POOR: "red",
    Tone.QUIET: DIM,
    Tone.UNSURE: LEVEL["unknown"],
}


class Legend:
    """Letters for layouts, in the order they are first asked for."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def letters(self, cell: Cell) -> str:
        """The letters of a cell's layouts."""
        return " in ".join(self._letter(layout) for layout in layouts_of(cell))

    def drawn(self, width: int) -> Iterator[Text]:
        """What the letters mean, a layout a line; nothing where there are none."""
        room = max(width - 8, 40)
        lines = (f"  {letter} = {visible(short_layout(layout), room)}" for layout, letter in self._letters.items())
        if self._letters:
            yield Text("\n".join(lines), DIM)

    def _letter(self, layout: str) -> str:
        index = len(self._letters)
        new = _LETTERS[index] if index < len(_LETTERS) else f"L{index}"
        return self._letters.setdefault(layout, new) if layout else _NO_LAYOUT


def with_legend(tables: Sequence[Table], width: int, most_rows: int) -> Iterator[RenderableType]:
    """Tables that share a legend, then the remarks on their rows."""
    legend = Legend()
    yield from (grid(table, legend, most_rows=most_rows) for table in tables)
    if any(len(table.rows) > most_rows for table in tables):
        yield Text(f"at most {most_rows} rows a table are shown; all are in the JSON report", DIM)
    yield from legend.drawn(width)
    remarks = dict.fromkeys(f"  {visible(remark)}" for table in tables for remark in remarks_of(table))
    if remarks:
        yield Text("\n".join(islice(remarks, _MOST_REMARKS)), DIM)


def with_note(table: Table, most_rows: int) -> Iterator[RenderableType]:
    """A table on its own, how many of its rows are left out, and its note."""
    yield grid(table, Legend(), most_rows=most_rows)
    left_out = len(table.rows) - most_rows
    if left_out > 0:
        yield Text(f"  {plural(left_out, 'more row')}, in the JSON report", DIM)
    if table.note:
        yield Text(visible(table.note), DIM)


def grid(table: Table, legend: Legend, *, most_rows: int | None = None, blank: str = UNKNOWN) -> Group:
    """A table under its title, with a rule under its head.

    Where it is too wide its longest texts are cut, then the columns go that matter least. Numbers stay whole.
    """
    shown = [at for at, column in enumerate(table.columns) if not column.remark]
    columns = tuple(table.columns[at] for at in shown)
    rows = [[_text(row[at], legend, blank) for at in shown] for row in table.rows[:most_rows]]
    body = Padding(_Grid(columns, rows), (0, 0, 0, 2))
    return Group(Text(visible(table.title), TITLE), body) if table.title else Group(body)


def _text(entry: Entry, legend: Legend, blank: str) -> Text:
    if not isinstance(entry, Cell):
        return Text(visible(said(entry, blank=blank)))
    text = legend.letters(entry) if entry.kind is Kind.LAYOUT else said(entry, compact=True)
    return Text(visible(text), _TONES.get(entry.tone, ""))


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table that is laid out once the room for it is known."""

    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Text]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        kept, rooms = self._fitting(options.max_width)
        table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
        for column in (self.columns[at] for at in kept):
            table.add_column(
                Text(_stacked(_title(column)), DIM),
                justify="right" if column.align == "right" else "left",
                no_wrap=not column.wraps,
                overflow="fold" if column.wraps else "ellipsis",
            )
        for row in self.rows:
            cells = zip((row[at] for at in kept), rooms, strict=True)
            table.add_row(*(Text(shortened(cell.plain, room), cell.style) for cell, room in cells))
        yield table

    def _fitting(self, width: int) -> tuple[list[int], list[int]]:
        """The columns that are kept, and the characters of each."""
        kept = list(range(len(self.columns)))
        while True:
            columns = [self.columns[at] for at in kept]
            rooms = _rooms(columns, [[row[at] for at in kept] for row in self.rows], width)
            least = max(kept, key=lambda at: (self.columns[at].priority, at), default=None)
            wraps = any(column.wraps for column in columns)
            fits = wraps or sum(rooms) + _GAP * (len(kept) - 1) <= width
            if fits or least is None or not self.columns[least].priority:
                return kept, rooms
            kept.remove(least)


def _title(column: Column) -> str:
    return visible(title_of(column))


def _stacked(title: str) -> str:
    """A long title on two lines, broken at the space nearest its middle."""
    spaces = [at for at, character in enumerate(title) if character == " "]
    if len(title) <= _LONG_TITLE or not spaces:
        return title
    middle = min(spaces, key=lambda at: abs(2 * at - len(title)))
    return f"{title[:middle]}\n{title[middle + 1 :]}"


def _title_width(column: Column) -> int:
    return max(len(line) for line in _stacked(_title(column)).split("\n"))


def hanging(prefix: Text, body: Text) -> RichTable:
    """`prefix`, then `body`, whose further lines are indented below its first."""
    pair = RichTable.grid(padding=0)
    pair.add_column(no_wrap=True)
    pair.add_column(overflow="fold")
    pair.add_row(prefix, body)
    return pair


def _rooms(columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int) -> list[int]:
    """The characters of each column: what it holds, the longest texts giving way until the table fits.

    Tables with columns that wrap are left to these.
    """
    rooms = [
        max(_title_width(column), *(len(row[at].plain) for row in rows)) if rows else _title_width(column)
        for at, column in enumerate(columns)
    ]
    wraps = any(column.wraps for column in columns)
    texts = [] if wraps else [at for at, column in enumerate(columns) if column.align != "right"]
    excess = sum(rooms) + _GAP * (len(columns) - 1) - width
    while excess > 0 and texts:
        widest = max(texts, key=rooms.__getitem__)
        least = max(_NARROWEST, _title_width(columns[widest]))
        if rooms[widest] <= least:
            break
        given = min(excess, rooms[widest] - least)
        rooms[widest] -= given
        excess -= given
    return rooms
