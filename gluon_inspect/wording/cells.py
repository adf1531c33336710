"""A table's cells in words, the same for every drawer: short for a terminal, in full elsewhere."""

from collections.abc import Iterator

from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Table
from gluon_inspect.wording.layouts import short_layout
from gluon_inspect.wording.numbers import NOT_APPLICABLE, UNKNOWN, count, percent, plain, ratio, short_count, size

GAP = "?"
"""Unknown, where a cell has no room for the word."""


def said(entry: Entry, *, compact: bool = False, blank: str = UNKNOWN) -> str:
    """An entry's text; `blank` stands for None in tables of plain values."""
    if not isinstance(entry, Cell):
        return blank if entry is None else plain(entry)
    if entry.kind is Kind.ABSENT:
        return NOT_APPLICABLE if compact else ""
    if entry.value is None:
        return GAP if compact else UNKNOWN
    text = " ".join(filter(None, (_value(entry, compact), entry.unit)))
    return text if entry.confidence is Confidence.EXACT else f"{text} ({entry.confidence})"


def _value(cell: Cell, compact: bool) -> str:
    match cell.kind, cell.value:
        case Kind.COUNT, int(value):
            return short_count(value) if compact else count(value)
        case Kind.BYTES, int(value):
            return size(value)
        case Kind.SHARE, float(value) | int(value):
            return percent(value)
        case Kind.RATIO, float(value) | int(value):
            return ratio(value)
        case Kind.LINE, int(value):
            return str(value)
        case Kind.LAYOUT, _:
            return " in ".join(short_layout(each) for each in layouts_of(cell) if each)
        case _:
            return plain(cell.value)


def layouts_of(cell: Cell) -> tuple[str, ...]:
    """The attributes of a LAYOUT cell; empty text where a side has none."""
    return tuple(map(str, cell.value)) if isinstance(cell.value, tuple) else (str(cell.value or ""),)


def number_of(entry: Entry) -> float | None:
    """What to sort by: the number behind the text; None where there is none."""
    value = entry.value if isinstance(entry, Cell) else entry
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def title_of(column: Column) -> str:
    """A column's title with its unit."""
    return f"{column.title} ({column.unit})" if column.unit else column.title


def remarks_of(table: Table) -> Iterator[str]:
    """The remarks of a table's rows, each with the row's line where it has one, none twice."""
    columns = [at for at, column in enumerate(table.columns) if column.remark]
    told = (_remark(row, row[at]) for at in columns for row in table.rows if said(row[at], blank=""))
    yield from dict.fromkeys(told)


def _remark(row: tuple[Entry, ...], remark: Entry) -> str:
    lines = [said(entry, compact=True) for entry in row if isinstance(entry, Cell) and entry.kind is Kind.LINE]
    return ": ".join((*(f"line {line}" for line in lines[:1]), said(remark)))
