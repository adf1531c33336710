"""What is different from the baseline, worst first."""

from gluon_inspect.model.change import Change, Comparison
from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Scalar, Table, Tone
from gluon_inspect.tables import ABSENT

_COLUMNS = (
    Column(""),
    Column("kernel"),
    Column("what", wraps=True),
    Column("before", "right", wraps=True),
    Column("after", "right", wraps=True),
)
_WORDS = {
    True: Cell("better", tone=Tone.GOOD),
    False: Cell("worse", tone=Tone.POOR),
    None: Cell("changed", tone=Tone.QUIET),
}


def change_table(comparison: Comparison) -> Table:
    """One row a change; without a row nothing changed."""
    places = tuple(change.location for change in comparison.changes)
    rows = tuple(map(_row, comparison.changes))
    return Table("changes", f"Changes against {comparison.baseline}", _COLUMNS, rows, places)


def _row(change: Change) -> tuple[Entry, ...]:
    place = f" (line {change.location.author.line})" if change.location else ""
    kernel = Cell(f"{change.kernel} {change.target}", Kind.NAME)
    return _WORDS[change.better], kernel, change.subject + place, _side(change.before), _side(change.after)


def _side(value: Scalar) -> Entry:
    return ABSENT if value is None else value
