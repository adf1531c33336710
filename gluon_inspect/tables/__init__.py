"""The tables of a report, each built in one file; formats and the TUI draw them without knowing what they say."""

from collections.abc import Iterable, Mapping

from gluon_inspect.model.finding import Cell, Column, Kind, Table
from gluon_inspect.model.location import Location

ABSENT = Cell(kind=Kind.ABSENT)


def merged(tables: Iterable[Table], same: Mapping[str, str]) -> Table:
    """Tables below each other in one, for a place with room for one: columns of one title are one.

    `same` maps a column's title to the one that it goes under. The weightiest columns come first.
    """
    found = tuple(tables)
    titles = [tuple(same.get(column.title, column.title) for column in table.columns) for table in found]
    columns: dict[str, Column] = {}
    for table, names in zip(found, titles, strict=True):
        for name, column in zip(names, table.columns, strict=True):
            columns.setdefault(name, column)
    order = sorted(columns, key=lambda name: columns[name].priority)
    named = (dict(zip(names, row, strict=True)) for t, names in zip(found, titles, strict=True) for row in t.rows)
    rows = tuple(tuple(cells.get(name, ABSENT) for name in order) for cells in named)
    places = tuple(place for table in found for place in places_of(table))
    return Table("merged", "", tuple(columns[name] for name in order), rows, places)


def places_of(table: Table) -> tuple[Location | None, ...]:
    """The source place of each row, None where it has none."""
    return (*table.locations, *(None,) * (len(table.rows) - len(table.locations)))
