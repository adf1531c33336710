"""Sortable tables: a cell that is a number carries it in `data-value`, unknown sorts last."""

from collections.abc import Iterator, Sequence

from gluon_inspect.model.finding import Cell, Entry, Kind, Table, Tone
from gluon_inspect.report.html.drawings import share_bar
from gluon_inspect.report.html.elements import Html, joined, tag, text
from gluon_inspect.wording.cells import number_of, said, title_of

_CELL_CHARACTERS = 300


def table(drawn: Table, links: Sequence[str] = ()) -> Html:
    """A table that page.js sorts by a click on a head; `links` lead from the names of its rows."""
    head = tag("tr", *(tag("th", text(title_of(column)), scope="col", tabindex="0") for column in drawn.columns))
    targets = links or ("",) * len(drawn.rows)
    rows = (tag("tr", *(_cell(cell, link) for cell in row)) for row, link in zip(drawn.rows, targets, strict=True))
    inner = tag("table", tag("thead", head), tag("tbody", joined(*rows)), class_="sortable")
    return tag("div", inner, class_="scroll")


def titled(drawn: Table) -> Iterator[Html]:
    """A table under its title."""
    yield tag("h3", text(drawn.title))
    yield table(drawn)


def folded(drawn: Table) -> Html:
    """A table that opens with a click on its title, and its note."""
    note = tag("p", text(drawn.note)) if drawn.note else Html("")
    return tag("details", tag("summary", text(drawn.title)), table(drawn), note)


def _cell(entry: Entry, link: str) -> Html:
    number = number_of(entry)
    classes = " ".join(filter(None, ("" if number is None else "number", _class(entry))))
    value = None if number is None else str(number)
    return tag("td", *_shown(entry, link), class_=classes or None, data_value=value)


def _class(entry: Entry) -> str:
    cell = entry if isinstance(entry, Cell) else Cell(entry)
    if cell.kind is Kind.ABSENT:
        return ""
    if cell.value is None:
        return "unknown"
    return cell.tone.value if cell.tone in (Tone.GOOD, Tone.FAIR, Tone.POOR) else ""


def _shown(entry: Entry, link: str) -> Iterator[Html]:
    shown = text(said(entry), _CELL_CHARACTERS)
    match entry:
        case Cell(str(level), Kind.LEVEL):
            yield tag("span", shown, class_=level)
        case Cell(_, Kind.NAME) if link:
            yield tag("a", shown, href=link)
        case Cell(share, Kind.SHARE):
            yield joined(shown, Html(" "), share_bar(share if isinstance(share, float) else None))
        case _:
            yield shown
