"""What a picture says in words: sizes, copies, what is inside a cell, how the corner repeats."""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.layouts.drawing.picture import Move, Picture
from gluon_inspect.layouts.drawing.subjects import Banks, Subject

_PLURALS = {
    "register": "registers",
    "lane": "lanes",
    "warp": "warps",
    "block": "CTAs",
    "partition": "partitions",
    "row": "rows",
    "col": "columns",
}


def shape_text(shape: Sequence[int]) -> str:
    """64x64."""
    return "x".join(map(str, shape)) or "scalar"


def summary(of: Subject) -> str:
    """How many places there are for the elements."""
    layout = of.layout
    if isinstance(of, Banks):
        offsets = of.chunk * layout.size("bank") * layout.size("line")
        size = offsets * of.element_bits // 8
        others = [f" x {layout.size(n)} {_PLURALS[n]}" for n in ("partition", "block") if layout.bits(n)]
        padded = "".join(f", {pad} more after every {interval}" for interval, pad in of.padding)
        return f"{offsets} elements of {of.element_bits} bits, {size} bytes{''.join(others)}{padded}"
    shown = [n for n in layout.inputs if layout.bits(n) or n in ("register", "lane", "warp")]
    return " x ".join(f"{layout.size(n)} {_PLURALS[n] if layout.size(n) != 1 else _singular(n)}" for n in shown)


def _singular(name: str) -> str:
    return "CTA" if name == "block" else name


def axes(picture: Picture) -> str:
    """Which dimensions run down and across, where that is not plain; starts with a separator."""
    row_dim, column_dim = picture.axes
    if len(picture.layout.shape) < 3 or row_dim == column_dim:
        return ""
    return f"; down: dim {row_dim}, across: dim {column_dim}"


def copies(picture: Picture) -> str:
    """How often an element is held; empty where once, and for tensor memory, where a free row may hold nothing."""
    if "row" in picture.layout.bases:
        return ""
    held = [(name, count) for name, count in picture.copies if name in _PLURALS]
    if not held:
        return ""
    total = 1
    for _, count in held:
        total *= count
    parts = " x ".join(f"{count} {_PLURALS[name]}" for name, count in held)
    return f"every element is held {total} times: by {parts}"


def holders(picture: Picture) -> str:
    """Which other lanes and warps hold the same: the zero bits of each input; empty without copies."""
    layout, parts = picture.layout, list[str]()
    for name, _ in picture.copies:
        free = layout.free_variables(name)
        bits = [1 << bit for bit in range(layout.bits(name)) if free >> bit & 1]
        if name in ("lane", "warp", "block", "row") and all(
            not any(layout.bases[name][b.bit_length() - 1]) for b in bits
        ):
            parts.append(f"{_singular(name)} +{', +'.join(map(str, bits))}")
    return "; ".join(parts)


def inside(of: Subject, picture: Picture) -> list[list[str]]:
    """The elements of a cell, by register, offset or column; empty for cells of one element."""
    grid = picture.inside()
    if len(grid) * len(grid[0]) == 1:
        return []
    return [[of.element(owner) for owner in row] for row in grid]


def repeats(of: Subject, picture: Picture) -> list[str]:
    """One line for each step beyond the corner."""
    return [f"{_distance(picture, move)}: {_change(of, picture, move)}" for move in picture.repeats]


def _distance(picture: Picture, move: Move) -> str:
    rank = len(picture.layout.shape)
    if rank == 2:
        return (
            f"+{move.stride} {('rows', 'columns')[move.dim] if move.stride > 1 else ('row', 'column')[move.dim]}"
        )
    return f"+{move.stride}" if rank == 1 else f"+{move.stride} along dim {move.dim}"


def _change(of: Subject, picture: Picture, move: Move) -> str:
    changes = {name: value for name, value in move.owner if value}
    if isinstance(of, Banks):
        return _change_of_offset(of, picture, changes)
    parts = [f"{_singular(name)} {_sign(picture, move, name)}{value}" for name, value in changes.items()]
    return ", ".join(parts) or "the same owner"


def _change_of_offset(of: Banks, picture: Picture, changes: dict[str, int]) -> str:
    shift = {"element": 0, "bank": of.chunk.bit_length() - 1}
    shift["line"] = shift["bank"] + picture.layout.bits("bank")
    offset = sum(changes.get(name, 0) << by for name, by in shift.items())
    sign = "^" if offset & (offset - 1) else "+"
    parts = [f"offset {sign}{offset}"] if offset else []
    parts += [f"{_singular(n)} +{changes[n]}" for n in ("partition", "block") if n in changes]
    same = not changes.get("bank") and not of.padding and bool(offset)
    return ", ".join(parts) + (" (the same banks)" if same else "")


def _sign(picture: Picture, move: Move, name: str) -> str:
    """+ where the bits are free in the corner and in every other step, ^ where they are not."""
    steps = (*picture.row_moves, *picture.column_moves, *picture.inside_rows, *picture.inside_columns)
    others = 0
    for other in (*steps, *picture.repeats):
        others |= 0 if other is move else dict(other.owner).get(name, 0)
    return "^" if others & dict(move.owner)[name] else "+"
