"""Tables that are too wide lose letters of their longest texts, never digits."""

from io import StringIO

import pytest
from rich.console import Console

from gluon_inspect.report.text.grid import Cell, Head, grid

HEADS = (Head("access"), Head("layout"), *(Head(title, right=True) for title in ("requests", "sectors", "ideal")))
ROW = ("copy async_copy_global_to_local", "a layout with a name", "262,144", "8,388,608", "1,048,576")


@pytest.mark.parametrize("width", [60, 70, 100])
def test_numbers_stay_whole(width: int):
    output = StringIO()
    Console(file=output, width=width).print(grid("Accesses", HEADS, [[Cell(text) for text in ROW]]))
    last = output.getvalue().splitlines()[-1]
    assert last.split()[-3:] == list(ROW[2:])
    assert ("…" in last) == (width < 90)
    assert len(last) <= width
