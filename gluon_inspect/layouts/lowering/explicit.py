"""Encodings that state their bases (#ttg.linear, #ttg.shared_linear) or derive from a parent (#ttg.slice)."""

from __future__ import annotations

from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.tile import Tile, extent, row_major
from gluon_inspect.model.encodings import Bases, Basis, LinearEncoding, SharedLinearEncoding

Shape = tuple[int, ...]


def register_order(bases: Bases, rank: int) -> tuple[int, ...]:
    """Dimensions by the first basis that moves along them; those that never move follow, last first."""
    moved = [next((dim for dim, x in enumerate(vector) if x), None) for vector in bases]
    return tuple(dict.fromkeys([dim for dim in moved if dim is not None] + list(row_major(rank))))


def linear(encoding: LinearEncoding, shape: Shape) -> LinearLayout:
    """The bases as given; a larger tensor repeats them in registers, a smaller one drops registers."""
    rank = len(shape)
    bases = {
        "register": list(encoding.register),
        "lane": list(encoding.lane),
        "warp": list(encoding.warp),
        "block": list(encoding.block),
    }
    if encoding.generic:
        bases = _within(bases, shape)
    tile = Tile(rank, bases, extent(rank, *bases.values()))
    tile.fill("register", register_order(encoding.register, rank), shape)
    return tile.clip(shape, dropped="register").layout(shape)


def _within(bases: dict[str, list[Basis]], shape: Shape) -> dict[str, list[Basis]]:
    """Vectors that move along several dimensions, each coordinate cut to the shape's bits."""
    found = {
        name: [tuple(x & size - 1 for x, size in zip(vector, shape, strict=True)) for vector in vectors]
        for name, vectors in bases.items()
    }
    kept = zip(bases["register"], found["register"], strict=True)
    found["register"] = [cut for whole, cut in kept if any(cut) or not any(whole)]
    return found


def shared_linear(encoding: SharedLinearEncoding, shape: Shape) -> LinearLayout:
    """The bases as given, from offset (in elements) and block."""
    return LinearLayout({"offset": encoding.offset, "block": encoding.block}, shape)


def sliced(parent: LinearLayout, dim: int) -> LinearLayout:
    """The parent at size 1 along `dim`, without that dimension; registers that hold copies disappear."""
    bases = {name: tuple((*v[:dim], *v[dim + 1 :]) for v in vectors) for name, vectors in parent.bases.items()}
    bases["register"] = tuple(v for v in bases["register"] if any(v))
    return LinearLayout(bases, (*parent.shape[:dim], *parent.shape[dim + 1 :]))
