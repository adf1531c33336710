"""Sortable tables: a cell that is a number carries it in `data-value`, unknown sorts last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gluon_inspect.model.finding import Scalar
from gluon_inspect.report.html.elements import Html, joined, tag, text
from gluon_inspect.wording.numbers import UNKNOWN, plain


@dataclass(frozen=True, slots=True)
class Cell:
    """What is shown, and what is sorted by."""

    shown: Html
    value: Scalar = None
    grade: str = ""


def word(value: str, limit: int = 300) -> Cell:
    """A cell of text."""
    return Cell(text(value, limit), value[:limit])


def number(value: float | None, shown: str = "", grade: str = "") -> Cell:
    """A cell of a number; None is shown as unknown."""
    if value is None:
        return Cell(text(UNKNOWN), None, "unknown")
    return Cell(text(shown or plain(value)), value, grade)


def scalar(value: Scalar) -> Cell:
    """A cell of any kind."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return number(value)
    return word(plain(value))


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Html:
    """A table that page.js sorts by a click on a head."""
    head = tag("tr", *(tag("th", text(title), scope="col", tabindex="0") for title in heads))
    body = joined(*(tag("tr", *(_cell(cell) for cell in row)) for row in rows))
    return tag("div", tag("table", tag("thead", head), tag("tbody", body), class_="sortable"), class_="scroll")


def _cell(cell: Cell) -> Html:
    numeric = isinstance(cell.value, int | float) and not isinstance(cell.value, bool)
    classes = " ".join(filter(None, ("number" if numeric else "", cell.grade)))
    return tag("td", cell.shown, class_=classes or None, data_value=str(cell.value) if numeric else None)
