"""A table from a list of fields: a column and where its cell comes from, so that a new column is one more row."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Table, Tone
from gluon_inspect.model.location import Location

Subject = TypeVar("Subject")

_GOOD, _FAIR = 0.9, 0.5


@dataclass(frozen=True)
class Field(Generic[Subject]):
    """A column, and the cell that a row's subject has there."""

    column: Column
    cell: Callable[[Subject], Entry]


def table_of(
    key: str,
    title: str,
    fields: Sequence[Field[Subject]],
    subjects: Iterable[Subject],
    place: Callable[[Subject], Location | None],
) -> Table:
    """One row a subject; a column of remarks is left out where there are none."""
    found = tuple(subjects)
    columns = [(field, [field.cell(subject) for subject in found]) for field in fields]
    kept = [(field, cells) for field, cells in columns if not field.column.remark or any(cells)]
    rows = tuple(zip(*(cells for _, cells in kept), strict=True))
    return Table(key, title, tuple(field.column for field, _ in kept), rows, tuple(map(place, found)))


def line(location: Location | None) -> Cell:
    """The author's line."""
    return Cell(location.author.line if location else None, Kind.LINE)


def count(value: int | None, tone: Tone = Tone.NONE) -> Cell:
    """A number of things."""
    return Cell(value, Kind.COUNT, tone=tone)


def layout(text: str) -> Cell:
    """A layout attribute."""
    return Cell(text, Kind.LAYOUT)


def share(value: float | None) -> Cell:
    """A fraction of 1, toned by how much of what is moved was needed."""
    return Cell(value, Kind.SHARE, tone=tone_of(value))


def trust(confidence: Confidence) -> Cell:
    """How a row's numbers were obtained."""
    return Cell(confidence.value, tone=Tone.QUIET if confidence is Confidence.EXACT else Tone.UNSURE)


def tone_of(share: float | None) -> Tone:
    """Good for nearly all, poor for less than half."""
    if share is None:
        return Tone.UNSURE
    return Tone.GOOD if share >= _GOOD else Tone.FAIR if share >= _FAIR else Tone.POOR


def operation(name: str) -> str:
    """Without the dialect: `ttg.convert_layout` as `convert_layout`."""
    return name.rpartition(".")[2] or name
