"""Tables that are too wide lose letters of their longest texts, then whole columns, never digits."""

from io import StringIO

import pytest
from rich.console import Console

from gluon_inspect.model.finding import Column, Table
from gluon_inspect.report.text.grid import Legend, grid

COLUMNS = (
    Column("access"),
    Column("layout", priority=2),
    *(Column(title, "right") for title in ("requests", "sectors", "ideal")),
)
ROW = ("copy async_copy_global_to_local", "a layout with a name", "262,144", "8,388,608", "1,048,576")


def _drawn(width: int) -> list[str]:
    output = StringIO()
    Console(file=output, width=width).print(grid(Table("a", "Accesses", COLUMNS, (ROW,)), Legend()))
    return output.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 70, 100])
def test_numbers_stay_whole(width: int):
    last = _drawn(width)[-1]
    assert last.split()[-3:] == list(ROW[2:])
    assert ("…" in last) == (width < 90)
    assert len(last) <= width


def test_where_cut_texts_are_not_enough_the_column_goes_that_matters_least():
    lines = _drawn(48)
    assert "layout" not in lines[2]
    assert lines[-1].split()[-3:] == list(ROW[2:])
    assert max(map(len, lines)) <= 48
