"""Each table is built once: every format and the grid of the TUI draw all of its columns and cells."""

import asyncio
import re
from dataclasses import replace
from html import unescape

import pytest
from textual.app import App

from gluon_inspect.model.finding import Cell, Column, Kind, Table
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import Style, load_format
from gluon_inspect.tables import ABSENT, merged
from gluon_inspect.tables.accesses import access_tables
from gluon_inspect.tables.conversions import conversion_tables
from gluon_inspect.tables.fields import Field, table_of
from gluon_inspect.tables.resources import coverage_tables, instruction_tables, resource_table
from gluon_inspect.tui.widgets.grid import Grid
from gluon_inspect.wording.cells import said, title_of
from tests.report import samples

KERNEL = samples.ordinary().kernels[0]
WIDE = Style(400, details=True)


def _tables(kernel: KernelReport) -> tuple[Table, ...]:
    traffic = (*access_tables(kernel), *conversion_tables(kernel))
    return (*traffic, resource_table(kernel), *instruction_tables(kernel), *kernel.tables)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", text)))


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_formats_with_room_show_every_cell_of_every_table(name: str):
    text = _plain(load_format(name).render(Report((KERNEL,)), WIDE))
    for table in _tables(KERNEL):
        assert _plain(table.title) in text
        for column in table.columns:
            assert column.remark or title_of(column) in text
        for entry in (entry for row in table.rows for entry in row):
            assert _plain(said(entry)) in text, (table.key, entry)


def test_the_terminal_shows_the_same_with_letters_for_layouts_and_short_numbers():
    text = re.sub(r"\s+", " ", load_format("text").render(Report((KERNEL,)), WIDE))
    for table in _tables(KERNEL):
        for entry in (entry for row in table.rows for entry in row):
            is_layout = isinstance(entry, Cell) and entry.kind is Kind.LAYOUT
            shown = said(entry).split(" in ") if is_layout else [said(entry, compact=table.key != "resources")]
            assert all(part in text for part in shown), (table.key, entry)


def test_a_new_column_is_one_field_and_every_drawer_has_it():
    fields = (Field[int](Column("n"), lambda n: n), Field[int](Column("squared", "right"), lambda n: Cell(n * n)))
    table = table_of("squares", "Squares", fields, (3, 4), lambda _: None)
    report = Report((replace(KERNEL, tables=(table,)),))
    for name in ("text", "markdown", "html"):
        assert "squared" in load_format(name).render(report, WIDE)


def test_the_grid_of_the_tui_draws_a_table():
    table = merged((*access_tables(KERNEL), *conversion_tables(KERNEL)), {"conversion": "access"})
    rows = asyncio.run(_rows_of(table))
    assert len(rows) == len(KERNEL.accesses) + len(KERNEL.conversions)
    assert rows == [[said(entry, compact=True) for entry in row] for row in table.rows]


async def _rows_of(table: Table) -> list[list[str]]:
    app = _Shown()
    async with app.run_test():
        grid = app.query_one(Grid)
        grid.show_table(table)
        return [[cell.plain for cell in grid.get_row_at(at)] for at in range(grid.row_count)]


class _Shown(App[None]):
    def compose(self):
        yield Grid(id="grid")


def test_tables_merged_have_each_title_once_and_gaps_where_a_column_does_not_apply():
    one = Table("a", "A", (Column("line"), Column("x", priority=1)), ((1, 2),))
    other = Table("b", "B", (Column("at"), Column("y")), ((3, 4),))
    both = merged((one, other), {"at": "line"})
    assert [column.title for column in both.columns] == ["line", "y", "x"]
    assert both.rows == ((1, ABSENT, 2), (3, 4, ABSENT))


def test_nothing_of_the_resources_is_said_twice():
    kernel = replace(KERNEL, tables=(), metrics=())
    told = [said(row[0]) for row in resource_table(kernel).rows]
    assert told == ["registers", "spilled", "shared memory", "occupancy"]
    assert not coverage_tables(replace(kernel, accesses=(), coverage=type(kernel.coverage)()))
