"""Every access and conversion of the kernel with its traffic."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import DataTable

from gluon_inspect.tables import merged
from gluon_inspect.tables.accesses import access_tables
from gluon_inspect.tables.conversions import conversion_tables
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.messages import JumpTo
from gluon_inspect.tui.widgets.grid import Grid

_SAME = {"conversion": "access"}


class AccessPane(Vertical):
    """One row an access, conversions below."""

    def __init__(self) -> None:
        super().__init__(id="accesses")

    def compose(self) -> ComposeResult:
        """The table."""
        yield Grid(id="access-table")

    def show_kernel(self, chosen: Chosen) -> None:
        """The kernel's accesses."""
        tables = (*access_tables(chosen.kernel), *conversion_tables(chosen.kernel))
        self.query_one(Grid).show_table(merged(tables, _SAME))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter or a click goes to the line."""
        event.stop()
        row = self.query_one(Grid).row
        if row is not None and row.location is not None:
            self.post_message(JumpTo(row.location, focus=True))
