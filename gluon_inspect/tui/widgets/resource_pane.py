"""Registers, occupancy, instructions: the kernel's numbers and every table an analysis made."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import DataTable, OptionList

from gluon_inspect.model.finding import Table
from gluon_inspect.tables.resources import coverage_tables, instruction_tables, resource_table
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.messages import JumpTo
from gluon_inspect.tui.widgets.grid import Grid
from gluon_inspect.tui.widgets.listing import Item, Listing
from gluon_inspect.wording.characters import visible


class ResourcePane(Horizontal):
    """Titles on the left, the chosen table on the right."""

    def __init__(self) -> None:
        super().__init__(id="resources")
        self._tables: dict[str, Table] = {}

    def compose(self) -> ComposeResult:
        """List and table."""
        yield Listing(id="table-list")
        yield Grid(id="table")

    def show_kernel(self, chosen: Chosen) -> None:
        """The kernel's tables, the same one as before where it has it."""
        kernel = chosen.kernel
        tables = (resource_table(kernel), *kernel.tables, *instruction_tables(kernel), *coverage_tables(kernel))
        self._tables = {table.key: table for table in tables}
        self.query_one(Listing).show_items([Item(each.key, Text(visible(each.title, 80))) for each in tables])
        self._show()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the table."""
        event.stop()
        self._show()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Into the table."""
        event.stop()
        self.screen.set_focus(self.query_one(Grid))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter or a click goes to the row's line."""
        event.stop()
        row = self.query_one(Grid).row
        if row is not None and row.location is not None:
            self.post_message(JumpTo(row.location, focus=True))

    def _show(self) -> None:
        table = self._tables.get(self.query_one(Listing).key or "")
        if table is None:
            return
        grid = self.query_one(Grid)
        grid.show_table(table)
        self.query_one(Listing).border_subtitle = ""
        grid.border_subtitle = visible(table.note, 200)
