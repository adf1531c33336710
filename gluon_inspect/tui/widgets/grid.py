"""A table of cells that can be searched, copied from, and whose rows lead to source lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from gluon_inspect.model.finding import Cell, Column, Entry, Table, Tone
from gluon_inspect.model.location import Location
from gluon_inspect.tables import places_of
from gluon_inspect.tui.messages import Copied, JumpTo
from gluon_inspect.tui.palette import is_dark, level_colour
from gluon_inspect.tui.search import Hits, find
from gluon_inspect.wording.cells import said, title_of
from gluon_inspect.wording.characters import visible

_CELL_CHARACTERS = 300
_TONES = {Tone.GOOD: "clean", Tone.FAIR: "warning", Tone.POOR: "error", Tone.UNSURE: "unknown"}


@dataclass(frozen=True, slots=True)
class Row:
    """Cells as text, and the source place the row leads to."""

    cells: tuple[Text, ...]
    location: Location | None = None


class Grid(DataTable[Text]):
    """Rows under heads; moving through them shows their places in the source."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "cursor_up", "Up", show=False),
        Binding("j", "cursor_down", "Down", show=False),
        Binding("g", "scroll_top", "First", show=False),
        Binding("G", "scroll_bottom", "Last", show=False),
        Binding("y", "copy_row", "Copy row", show=False),
        Binding("Y", "copy_all", "Copy table", show=False),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, cursor_type="row", zebra_stripes=True, cell_padding=1)
        self._columns: tuple[Column, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self.hits = Hits("")

    def show_table(self, table: Table) -> None:
        """Another table."""
        dark = is_dark(self)
        self._columns = table.columns
        self._rows = tuple(
            Row(tuple(_text(entry, column, dark) for entry, column in zip(row, table.columns, strict=True)), place)
            for row, place in zip(table.rows, places_of(table), strict=True)
        )
        self.clear(columns=True)
        for column in table.columns:
            self.add_column(Text(visible(title_of(column)), justify=_justify(column)))
        for row in self._rows:
            self.add_row(*row.cells)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self._rows[self.cursor_row] if 0 <= self.cursor_row < len(self._rows) else None

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show where the row comes from, if it is the user who moves."""
        event.stop()
        if self.has_focus and self.row is not None and self.row.location is not None:
            self.post_message(JumpTo(self.row.location))

    def search(self, text: str) -> str:
        """Go to the first row with the text, from the cursor on."""
        self.hits = find([_plain(row) for row in self._rows], text)
        return self._go(self.hits.next_from(self.cursor_row - 1, forward=True))

    def search_step(self, forward: bool) -> str:
        """Go to the next or previous row with it."""
        return self._go(self.hits.next_from(self.cursor_row, forward))

    def action_copy_row(self) -> None:
        """The row's cells, tabs between them."""
        if self.row is not None:
            self.post_message(Copied(_plain(self.row), "this row"))

    def action_copy_all(self) -> None:
        """The table with its heads, tabs between cells."""
        lines = ["\t".join(map(title_of, self._columns)), *map(_plain, self._rows)]
        self.post_message(Copied("\n".join(lines), "the table"))

    def _go(self, row: int | None) -> str:
        if row is not None:
            self.move_cursor(row=row)
        return self.hits.summary(self.cursor_row)


def _text(entry: Entry, column: Column, dark: bool) -> Text:
    tone = entry.tone if isinstance(entry, Cell) else Tone.NONE
    colour = level_colour(_TONES[tone], dark) if tone in _TONES else "dim" if tone is Tone.QUIET else ""
    return Text(visible(said(entry, compact=True), _CELL_CHARACTERS), colour, justify=_justify(column))


def _justify(column: Column) -> Literal["left", "right"]:
    return "right" if column.align == "right" else "left"


def _plain(row: Row) -> str:
    return "\t".join(cell.plain for cell in row.cells)
