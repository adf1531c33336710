"""Registers, occupancy, instructions: the kernel's numbers and every table an analysis made."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import DataTable, OptionList

from gluon_inspect.model.finding import Metric, Table
from gluon_inspect.model.report import KernelReport
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.messages import JumpTo
from gluon_inspect.tui.widgets.grid import Grid, Head, Row
from gluon_inspect.tui.widgets.listing import Item, Listing
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import UNKNOWN, percent, plain, size

_OVERVIEW = "overview"
_OVERVIEW_HEADS = (Head("number"), Head("value", right=True), Head("trust or why"))


class ResourcePane(Horizontal):
    """Titles on the left, the chosen table on the right."""

    def __init__(self) -> None:
        super().__init__(id="resources")
        self._kernel: KernelReport | None = None

    def compose(self) -> ComposeResult:
        """List and table."""
        yield Listing(id="table-list")
        yield Grid(id="table")

    def show_kernel(self, chosen: Chosen) -> None:
        """The kernel's tables, the same one as before where it has it."""
        self._kernel = chosen.kernel
        titles = [(_OVERVIEW, "Overview"), *((table.key, table.title) for table in self._kernel.tables)]
        self.query_one(Listing).show_items([Item(key, Text(visible(title, 80))) for key, title in titles])
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
        if self._kernel is None:
            return
        key = self.query_one(Listing).key
        table = next((table for table in self._kernel.tables if table.key == key), None)
        grid = self.query_one(Grid)
        if table is None:
            grid.show_rows(_OVERVIEW_HEADS, tuple(_overview(self._kernel)))
        else:
            grid.show_rows(*_table(table))
        self.query_one(Listing).border_subtitle = ""
        grid.border_subtitle = visible(table.note, 200) if table is not None else ""


def _table(table: Table) -> tuple[tuple[Head, ...], tuple[Row, ...]]:
    heads = tuple(
        Head(f"{column.title} ({column.unit})" if column.unit else column.title, column.align == "right")
        for column in table.columns
    )
    places = (*table.locations, *(None,) * (len(table.rows) - len(table.locations)))
    rows = (
        Row(tuple(Text(visible(plain(cell), 200)) for cell in row), place)
        for row, place in zip(table.rows, places, strict=False)
    )
    return heads, tuple(rows)


def _overview(kernel: KernelReport) -> Iterator[Row]:
    registers, occupancy = kernel.registers, kernel.occupancy
    yield _row("registers a thread", plain(registers.per_thread))
    yield _row("spilled a thread", size(registers.spill_bytes))
    for number, partition in enumerate(registers.partitions):
        yield _row(f"partition {number}", f"{partition.per_thread} registers", f"{partition.warps} warps")
    yield _row("shared memory a CTA", size(kernel.shared_bytes))
    if kernel.tensor_memory_columns:
        yield _row("tensor memory", f"{kernel.tensor_memory_columns} columns")
    if occupancy is None:
        yield _row("occupancy", UNKNOWN)
    else:
        unit = "a compute unit" if kernel.kernel.target.startswith("hip") else "an SM"
        fraction = f"{percent(occupancy.fraction)} ({occupancy.warps} warps {unit})"
        yield _row("occupancy", fraction, f"limited by {', '.join(occupancy.limited_by)}")
    yield from (_metric(metric) for metric in kernel.metrics)
    coverage = kernel.coverage
    understood = f"{coverage.understood} of {coverage.operations}" if kernel.has_ir else UNKNOWN
    yield _row("operations understood", understood)
    yield from (_row(name, f"×{times}", "not understood") for name, times in coverage.not_understood.items())
    yield from (_row(name, f"×{times}", "not modelled") for name, times in coverage.unmodelled.items())


def _metric(metric: Metric) -> Row:
    value = plain(metric.value)
    return _row(metric.title, f"{value} {metric.unit}".rstrip(), metric.confidence.value)


def _row(title: str, value: str, why: str = "") -> Row:
    return Row((Text(visible(title, 80)), Text(visible(value, 80)), Text(visible(why, 120), "dim")))
