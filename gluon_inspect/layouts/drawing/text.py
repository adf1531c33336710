"""A picture as lines of coloured text, at most `width` columns; every sign also reads without colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from gluon_inspect.layouts.drawing import phrases
from gluon_inspect.layouts.drawing.colours import Colour
from gluon_inspect.layouts.drawing.picture import Picture, draw
from gluon_inspect.layouts.drawing.subjects import Subject, Threads, with_registers

_COPY = "*"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line; `colour` is its background."""

    text: str
    colour: Colour | None = None
    bold: bool = False


Line = tuple[Span, ...]


def drawing(of: Subject, title: str, width: int = 80) -> tuple[Line, ...]:
    """The title, the grid of cells, what is in a cell, how the grid repeats.

    Raises LayoutError for a layout that misses elements.
    """
    of, picture = fitted(of, width)
    return (
        *_wrapped(title, width, bold=True),
        *_wrapped(phrases.summary(of), width),
        (),
        *_grid(of, picture, width),
        (),
        *_notes(of, picture, width),
    )


def fitted(of: Subject, width: int) -> tuple[Subject, Picture]:
    """The largest picture that fits, with registers in the labels where cells of one thread differ in them."""
    picture = _largest(of, width)
    if isinstance(of, Threads) and _registers_differ(picture):
        named = with_registers(of)
        picture = _largest(named, width)
        return (named if _registers_differ(picture) else of), picture
    return of, picture


def _largest(of: Subject, width: int) -> Picture:
    columns = of.frame.columns
    while True:
        picture = draw(of.layout, replace(of.frame, columns=columns))
        needed = _row_label_width(picture) + len(picture.column_labels()) * (_cell_width(of, picture) + 1)
        if needed <= width or columns == 1:
            return picture
        columns //= 2


def _registers_differ(picture: Picture) -> bool:
    return any(dict(move.owner).get("register") for move in (*picture.row_moves, *picture.column_moves))


def _mark(picture: Picture) -> str:
    return _COPY if phrases.copies(picture) else ""


def _cell_width(of: Subject, picture: Picture) -> int:
    cells = max(len(of.label(owner)) for owner in chain.from_iterable(picture.owners())) + len(_mark(picture))
    return max(cells, max(len(_coordinate(at, picture)) for at in picture.column_labels()))


def _row_label_width(picture: Picture) -> int:
    return max(len(_coordinate(at, picture)) for at in picture.row_labels())


def _coordinate(at: Sequence[int], picture: Picture) -> str:
    """The one coordinate that varies along an axis."""
    return str(max(at)) if len(picture.layout.shape) else "0"


def _grid(of: Subject, picture: Picture, width: int) -> list[Line]:
    cell, margin, mark = _cell_width(of, picture), _row_label_width(picture), _mark(picture)
    head = " ".join(_coordinate(at, picture).ljust(cell) for at in picture.column_labels())
    found: list[Line] = [(Span(f"{' ' * margin} {head}"[:width].rstrip()),)]
    for at, owners in zip(picture.row_labels(), picture.owners(), strict=True):
        spans = [Span(_coordinate(at, picture).rjust(margin))]
        for owner in owners:
            spans += [Span(" "), Span(f"{of.label(owner)}{mark}".ljust(cell), of.colour(owner))]
        found.append(tuple(spans))
    return found


def _notes(of: Subject, picture: Picture, width: int) -> list[Line]:
    notes = list(_wrapped(f"cells: {of.key()}{phrases.axes(picture)}", width))
    grid = phrases.inside(of, picture)
    if grid:
        notes += _wrapped(f"a cell is {len(grid)}x{len(grid[0])} elements {of.whole}:", width)
        notes += [(Span(_elements(row, width)),) for row in grid]
    said = phrases.copies(picture)
    if said:
        others = phrases.holders(picture)
        notes += _wrapped(f"{_COPY} {said}" + (f" (also {others})" if others else ""), width)
    steps = phrases.repeats(of, picture)
    if steps:
        notes += _wrapped("the pattern goes on:", width)
        notes += [line for step in steps for line in _wrapped(f"  {step}", width)]
    return notes


def _elements(row: Sequence[str], width: int) -> str:
    """One row of a cell; a long one shows its ends."""
    whole = "  " + " ".join(text.ljust(4) for text in row).rstrip()
    return whole if len(whole) <= width else f"  {row[0]} {row[1]} … {row[-1]}"


def _wrapped(text: str, width: int, bold: bool = False) -> list[Line]:
    """Broken at spaces; words longer than a line are cut."""
    found, line = list[str](), ""
    indent = " " * (len(text) - len(text.lstrip()))
    for word in text.split():
        while len(word) > width - len(indent):
            found += [line] if line.strip() else []
            found.append(indent + word[: width - len(indent)])
            word, line = word[width - len(indent) :], ""
        longer = f"{line} {word}" if line.strip() else indent + word
        if len(longer) > width:
            found.append(line)
            longer = indent + word
        line = longer
    found += [line] if line.strip() else []
    return [(Span(text, bold=bold),) for text in found]
