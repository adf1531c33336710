"""A table of cells that can be searched, copied from, and whose rows lead to source lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from gluon_inspect.model.location import Location
from gluon_inspect.tui.messages import Copied, JumpTo
from gluon_inspect.tui.search import Hits, find


@dataclass(frozen=True, slots=True)
class Head:
    """A column: title, and whether its cells are numbers."""

    title: str
    right: bool = False


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
        self._heads: tuple[Head, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self.hits = Hits("")

    def show_rows(self, heads: Sequence[Head], rows: Sequence[Row]) -> None:
        """Another table."""
        self._heads, self._rows = tuple(heads), tuple(rows)
        self.clear(columns=True)
        for head in heads:
            self.add_column(Text(head.title, justify="right" if head.right else "left"))
        for row in rows:
            cells = zip(row.cells, heads, strict=True)
            self.add_row(*(_aligned(cell, head) for cell, head in cells))

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
        lines = ["\t".join(head.title for head in self._heads), *map(_plain, self._rows)]
        self.post_message(Copied("\n".join(lines), "the table"))

    def _go(self, row: int | None) -> str:
        if row is not None:
            self.move_cursor(row=row)
        return self.hits.summary(self.cursor_row)


def _aligned(cell: Text, head: Head) -> Text:
    cell = cell.copy()
    cell.justify = "right" if head.right else "left"
    return cell


def _plain(row: Row) -> str:
    return "\t".join(cell.plain for cell in row.cells)
