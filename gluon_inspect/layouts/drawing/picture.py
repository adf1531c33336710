"""The picture of a layout before it has a form: a grid of cells, what is inside one, how the grid repeats.

A linear layout is determined by a corner of the tensor: moving along a coordinate by a power of two always
changes the owner by the same bits. The picture shows the corner and lists the steps beyond it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gluon_inspect.layouts.algebra import invert
from gluon_inspect.layouts.linear import LinearLayout


@dataclass(frozen=True, slots=True)
class Move:
    """Owner bits that change by XOR when a coordinate grows by `stride` along `dim`."""

    dim: int
    stride: int
    owner: tuple[tuple[str, int], ...]

    def only_changes(self, names: Collection[str]) -> bool:
        """No input but these changes."""
        return all(not value or name in names for name, value in self.owner)


@dataclass(frozen=True, slots=True)
class Frame:
    """What goes into a picture: cells along each axis at most, elements in a cell at most.

    A cell's elements differ only in the inputs `in_cell`. A step that changes only `steady` inputs shows
    nothing new, so the corner ends before a run of them.
    """

    columns: int = 16
    rows: int = 32
    cell: int = 16
    in_cell: frozenset[str] = frozenset({"register"})
    steady: frozenset[str] = frozenset({"register"})


@dataclass(frozen=True, slots=True)
class Picture:
    """A corner of a tensor.

    `axes`: the dimensions that run down and across. `row_moves` and `column_moves` are the steps between
    cells, `inside_rows` and `inside_columns` those within one, `repeats` those beyond the corner.
    `copies`: how often each input holds everything, where more than once.
    """

    layout: LinearLayout
    axes: tuple[int, int]
    row_moves: tuple[Move, ...]
    column_moves: tuple[Move, ...]
    inside_rows: tuple[Move, ...]
    inside_columns: tuple[Move, ...]
    repeats: tuple[Move, ...]
    copies: tuple[tuple[str, int], ...]

    def owners(self) -> list[list[dict[str, int]]]:
        """The owner of each cell's first element, rows of cells."""
        return _grid(self.row_moves, self.column_moves)

    def inside(self) -> list[list[dict[str, int]]]:
        """What is added (by XOR) to a cell's owner for each of its elements."""
        return _grid(self.inside_rows, self.inside_columns)

    def row_labels(self) -> list[tuple[int, ...]]:
        """The coordinate of the first element of each row of cells."""
        return _labels(len(self.layout.shape), self.row_moves)

    def column_labels(self) -> list[tuple[int, ...]]:
        """The coordinate of the first element of each column of cells."""
        return _labels(len(self.layout.shape), self.column_moves)


def draw(layout: LinearLayout, frame: Frame | None = None) -> Picture:
    """The picture of a layout; raises LayoutError for one that misses elements."""
    frame = frame or Frame()
    moves = _moves(layout) or [[]]
    row_dim, column_dim = _axes(layout.shape)
    columns, rows = list(moves[column_dim]), list(moves[row_dim]) if row_dim != column_dim else []
    inside_columns = _take_inside(columns, frame.cell, frame.in_cell)
    inside_rows = _take_inside(rows, frame.cell >> len(inside_columns), frame.in_cell)
    if row_dim == column_dim:
        fitting = _fit(columns, frame.columns)
        rows, columns = columns[fitting:], columns[:fitting]
    shown_columns = len(columns) if row_dim == column_dim else _shown(columns, frame.columns, frame.steady)
    shown_rows = _shown(rows, frame.rows, frame.steady)
    others = [move for dim in range(len(layout.shape)) if dim not in (row_dim, column_dim) for move in moves[dim]]
    return Picture(
        layout,
        (row_dim, column_dim),
        tuple(rows[:shown_rows]),
        tuple(columns[:shown_columns]),
        tuple(inside_rows),
        tuple(inside_columns),
        (*columns[shown_columns:], *rows[shown_rows:], *others),
        tuple((name, layout.copies(name)) for name in layout.inputs if layout.copies(name) > 1),
    )


def combine(owner: Mapping[str, int], change: Mapping[str, int]) -> dict[str, int]:
    """An owner after a step."""
    return {name: owner.get(name, 0) ^ change.get(name, 0) for name in {**owner, **change}}


def _moves(layout: LinearLayout) -> list[list[Move]]:
    """For each dimension, the steps by 1, 2, 4, …"""
    inverse = invert(layout)
    return [
        [
            Move(dim, 1 << bit, tuple(zip(layout.inputs, vector, strict=True)))
            for bit, vector in enumerate(inverse.bases[out])
        ]
        for dim, out in enumerate(layout.outputs)
    ]


def _axes(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns: the last two dimensions longer than 1; twice the same where there is only one."""
    long = [dim for dim, size in enumerate(shape) if size > 1]
    if not long:
        return 0, 0
    return (long[-2] if len(long) > 1 else long[-1]), long[-1]


def _take_inside(moves: list[Move], most: int, names: frozenset[str]) -> list[Move]:
    """Remove and return the first steps that stay within a cell, up to `most` elements."""
    taken = list[Move]()
    while moves and moves[0].only_changes(names) and 2 << len(taken) <= most:
        taken.append(moves.pop(0))
    return taken


def _fit(moves: Sequence[Move], most: int) -> int:
    """How many steps lead to at most `most` cells."""
    return min(len(moves), max(most, 1).bit_length() - 1)


def _shown(moves: Sequence[Move], most: int, steady: frozenset[str]) -> int:
    """Steps to show: those up to the last that shows something new, as far as they fit."""
    changing = [index for index, move in enumerate(moves) if not move.only_changes(steady)]
    return min(changing[-1] + 1 if changing else 0, _fit(moves, most))


def _grid(rows: Sequence[Move], columns: Sequence[Move]) -> list[list[dict[str, int]]]:
    return [
        [combine(_at(rows, r), _at(columns, c)) for c in range(1 << len(columns))] for r in range(1 << len(rows))
    ]


def _at(moves: Sequence[Move], index: int) -> dict[str, int]:
    owner = dict[str, int]()
    for bit, move in enumerate(moves):
        if index >> bit & 1:
            owner = combine(owner, dict(move.owner))
    return owner


def _labels(rank: int, moves: Sequence[Move]) -> list[tuple[int, ...]]:
    found = list[tuple[int, ...]]()
    for index in range(1 << len(moves)):
        at = [0] * rank
        for bit, move in enumerate(moves):
            at[move.dim] += move.stride * (index >> bit & 1)
        found.append(tuple(at))
    return found
