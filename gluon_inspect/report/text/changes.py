"""What is different from the baseline, worst first."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from gluon_inspect.model.change import Change, Comparison
from gluon_inspect.model.finding import Scalar
from gluon_inspect.report.text.grid import Cell, Head, grid
from gluon_inspect.report.text.palette import DIM
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import plain, plural

_ROWS = 60
_CELL_CHARACTERS = 40
_HEADS = (
    Head(""),
    Head("kernel"),
    Head("what", wrap=True),
    Head("before", right=True, wrap=True),
    Head("after", right=True, wrap=True),
)
_WORDS = {True: Cell("better", "green"), False: Cell("worse", "bold red"), None: Cell("changed", "dim")}


def changes(comparison: Comparison) -> Iterator[RenderableType]:
    """A table of the changes, or one line if there are none."""
    name = visible(comparison.baseline)
    if not comparison.changes:
        yield Text(f"Nothing changed against {name}")
        return
    yield grid(f"Changes against {name}", _HEADS, (_row(change) for change in comparison.changes[:_ROWS]))
    left_out = len(comparison.changes) - _ROWS
    if left_out > 0:
        yield Text(f"  {plural(left_out, 'more change')}, in the JSON report", DIM)


def _row(change: Change) -> tuple[Cell, ...]:
    place = f" (line {change.location.author.line})" if change.location else ""
    return (
        _WORDS[change.better],
        Cell(visible(f"{change.kernel} {change.target}", _CELL_CHARACTERS)),
        Cell(visible(change.subject, 2 * _CELL_CHARACTERS) + place),
        Cell(_value(change.before)),
        Cell(_value(change.after)),
    )


def _value(value: Scalar) -> str:
    return "-" if value is None else visible(plain(value), 2 * _CELL_CHARACTERS)
