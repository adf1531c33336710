"""Layouts as boards: the tensor's view and the hardware's. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from gluon_inspect.layouts.drawing import phrases
from gluon_inspect.layouts.drawing.colours import Colour, by_bank
from gluon_inspect.layouts.drawing.picture import Frame, Picture, combine, draw
from gluon_inspect.layouts.drawing.subjects import Banks, Subject, TensorMemory
from gluon_inspect.tui.board import Board, Cell, Colouring

_COLUMNS, _ROWS = 32, 64
_HARDWARE_COLUMNS, _HARDWARE_ROWS = 64, 64
_MOST_LISTED = 8
_WORDS = {"block": "CTA", "bank": "bank group", "col": "column"}


def tensor_board(of: Subject, colouring: Colouring) -> Board:
    """The tensor's corner, who owns each cell; what repeats is folded into notes. Raises LayoutError."""
    picture = draw(of.layout, _frame(of, colouring))
    rows, columns = picture.row_labels(), picture.column_labels()
    copied = bool(phrases.copies(picture))
    cells = tuple(
        tuple(
            Cell(
                of.label(owner),
                _colour(of, owner, colouring),
                _element_readout(of, picture, (*zip(at, below, strict=True),), owner),
                _key(owner),
                copied,
            )
            for below, owner in zip(columns, owners, strict=True)
        )
        for at, owners in zip(rows, picture.owners(), strict=True)
    )
    return Board(tuple(map(_axis, columns)), tuple(map(_axis, rows)), cells, tuple(_notes(of, picture)))


def hardware_board(of: Subject, register: int, colouring: Colouring) -> Board:
    """What each lane of each warp holds in one register (each bank group in each line; each row and column).

    Copies of another lane's or warp's element are hatched.
    """
    outer, inner, fixed = _hardware_axes(of, register)
    layout = of.layout
    rows = [dict(zip(outer, at, strict=True)) for at in product(*(range(layout.size(name)) for name in outer))]
    rows, columns = rows[:_HARDWARE_ROWS], range(min(layout.size(inner), _HARDWARE_COLUMNS))
    cells = tuple(tuple(_place(of, {**at, inner: x, **fixed}, colouring) for x in columns) for at in rows)
    labels = tuple(" ".join(f"{_word(name)} {value}" for name, value in at.items()) for at in rows)
    notes = (f"columns: {_word(inner)}s; cells: coordinates of the element",)
    return Board(tuple(map(str, columns)), labels, cells, notes)


def _hardware_axes(of: Subject, register: int) -> tuple[tuple[str, ...], str, Mapping[str, int]]:
    blocks = ("block",) if of.layout.bits("block") else ()
    match of:
        case Banks():
            parts = ("partition",) if of.layout.bits("partition") else ()
            return (*blocks, *parts, "line"), "bank", {"element": 0}
        case TensorMemory():
            return (*blocks, "row"), "col", {}
        case _:
            return (*blocks, "warp"), "lane", {"register": register}


def _place(of: Subject, owner: Mapping[str, int], colouring: Colouring) -> Cell:
    known = {name: value for name, value in owner.items() if name in of.layout.bases}
    at = of.layout.apply(**known)
    copy = any(of.layout.free_variables(name) & value for name, value in known.items())
    said = f"{describe(known)}: element {_tuple(at)}" + (" (a copy)" if copy else "")
    return Cell(",".join(map(str, at)), _colour(of, known, colouring), said, str(at), copy)


def _frame(of: Subject, colouring: Colouring) -> Frame:
    """Registers fold into cells and repetitions, unless it is they that are coloured."""
    frame = of.frame
    if colouring is Colouring.REGISTER and not isinstance(of, Banks | TensorMemory):
        return Frame(_COLUMNS, _ROWS, 1, frozenset(), frozenset())
    return Frame(_COLUMNS, _ROWS, frame.cell, frame.in_cell, frame.steady)


def _colour(of: Subject, owner: Mapping[str, int], colouring: Colouring) -> Colour:
    if isinstance(of, Banks | TensorMemory) or colouring is Colouring.WARP:
        return of.colour(owner)
    return by_bank(owner.get(colouring.value, 0), max(of.layout.size(colouring.value), 2))


def _element_readout(
    of: Subject, picture: Picture, at: Sequence[tuple[int, int]], owner: Mapping[str, int]
) -> str:
    first = tuple(row + column for row, column in at)
    owner = {**dict.fromkeys(of.layout.inputs, 0), **owner}
    inside = picture.inside()
    owners = [combine(owner, change) for row in inside for change in row]
    if len(owners) == 1:
        return f"element {_tuple(first)}: {describe(owner)}{_bank(of, owner)}"
    last = list(first)
    for move in (*picture.inside_rows, *picture.inside_columns):
        last[move.dim] += move.stride
    return f"elements {_tuple(first)} to {_tuple(last)}: {_merged(owners)}{_bank(of, owner)}"


def _bank(of: Subject, owner: Mapping[str, int]) -> str:
    if not isinstance(of, Banks):
        return ""
    return f", bank {of.bank(owner)}, byte {of.offset(owner) * of.element_bits // 8}"


def describe(owner: Mapping[str, int]) -> str:
    """ "warp 1 lane 9 register 2"; the CTA where there are several."""
    order = ("block", "warp", "lane", "register", "partition", "line", "bank", "element", "row", "col")
    return " ".join(f"{_word(name)} {owner[name]}" for name in order if name in owner and _is_told(name, owner))


def _is_told(name: str, owner: Mapping[str, int]) -> bool:
    return name != "block" or bool(owner["block"])


def _merged(owners: Sequence[Mapping[str, int]]) -> str:
    """Several owners that differ in one input: its values listed."""
    parts: list[str] = []
    for name in ("block", "warp", "lane", "register", "partition", "line", "bank", "element", "row", "col"):
        values = list(dict.fromkeys(owner[name] for owner in owners if name in owner))
        if not values or (values == [0] and name in ("block", "partition")):
            continue
        plural = "s" if len(values) > 1 else ""
        shown = ", ".join(map(str, values[:_MOST_LISTED])) + (", …" if len(values) > _MOST_LISTED else "")
        parts.append(f"{_word(name)}{plural} {shown}")
    return " ".join(parts)


def _notes(of: Subject, picture: Picture) -> Iterator[str]:
    yield f"{phrases.summary(of)}; cells: {of.key()}"
    if said := phrases.copies(picture):
        others = phrases.holders(picture)
        yield f"hatched: {said}" + (f" (also {others})" if others else "")
    if steps := phrases.repeats(of, picture):
        yield "the pattern goes on: " + "; ".join(steps)


def _word(name: str) -> str:
    return _WORDS.get(name, name)


def _axis(at: Sequence[int]) -> str:
    return str(max(at, default=0))


def _tuple(at: Sequence[int]) -> str:
    return f"({', '.join(map(str, at))})"


def _key(owner: Mapping[str, int]) -> str:
    """Cells of one thread belong together, whichever of its registers they are in."""
    return ",".join(f"{name}{value}" for name, value in owner.items() if name not in ("register", "element"))
