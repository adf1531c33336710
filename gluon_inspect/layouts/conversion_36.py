"""What a change of layout needs as Triton 3.6 decides it: registers, shuffles, shared memory, the cluster.

Rules: triton-lang/triton 3.6, lib/Analysis/Utility.cpp (`minimalCvtLayout`, `cvtNeedsWarpShuffle`). Later
versions: `layouts.conversion`, which chooses between the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts import gf2
from gluon_inspect.layouts.flat import FlatLayout
from gluon_inspect.model.access import ConversionKind

_DIMS = ("register", "lane", "warp", "block")
_MOST_TRANSPOSITIONS = 1


def dimension(layout: FlatLayout, name: str) -> tuple[int, ...]:
    """The bases of "register", "lane", "warp" or "block"."""
    return {"register": layout.register, "lane": layout.lane, "warp": layout.warp, "block": layout.block}[name]


def moves_between(inner: FlatLayout, outer: FlatLayout) -> dict[str, list[dict[str, int]]]:
    """For every input bit of `inner`, where `outer` has that element: bits by input dimension.

    Dimensions whose bases agree map to themselves; others to the first place that holds the element.
    """
    same = {name for name in _DIMS if dimension(inner, name) == dimension(outer, name)}
    names = [name for name in _DIMS if name not in same]
    columns = [basis for name in names for basis in dimension(outer, name)]
    form = gf2.echelon(columns)
    result: dict[str, list[dict[str, int]]] = {}
    for name in _DIMS:
        bases = dimension(inner, name)
        if name in same:
            result[name] = [{name: 1 << bit} for bit in range(len(bases))]
            continue
        result[name] = [_split(form.reduce(basis), names, outer) for basis in bases]
    return result


def _split(reduced: tuple[int, int], names: Sequence[str], outer: FlatLayout) -> dict[str, int]:
    remainder, combination = reduced
    if remainder:
        raise LayoutError("the two layouts hold different elements")
    parts: dict[str, int] = {}
    for name in names:
        width = len(dimension(outer, name))
        part = combination & ((1 << width) - 1)
        if part:
            parts[name] = part
        combination >>= width
    return parts


def stays(moves: dict[str, list[dict[str, int]]], name: str) -> bool:
    """Whether a dimension maps to itself and no other dimension maps to it."""
    own = all(move == {name: 1 << bit} for bit, move in enumerate(moves[name]))
    return own and not any(name in move for other in _DIMS if other != name for move in moves[other])


def kind_until_36(source: FlatLayout, target: FlatLayout) -> ConversionKind:
    """What moves between two layouts of the same tensor. Raises LayoutError where the elements differ."""
    moves = moves_between(target, source)
    if not stays(moves, "block"):
        return ConversionKind.CLUSTER
    if not stays(moves, "warp"):
        return ConversionKind.SHARED
    if not stays(moves, "lane"):
        few = mixed_transpositions(source, target) <= _MOST_TRANSPOSITIONS
        return ConversionKind.SHUFFLE if few else ConversionKind.SHARED
    return ConversionKind.TRIVIAL if stays(moves, "register") else ConversionKind.REGISTER


def _padded(layout: FlatLayout, registers: int, lanes: int) -> FlatLayout:
    """Registers and lanes only, filled up with copies to the given numbers of bits."""
    kept = layout.without_register_copies
    register = kept.register + (0,) * (registers - len(kept.register))
    return FlatLayout(register, kept.lane + (0,) * (lanes - len(kept.lane)), (), (), layout.bits)


def mixed_transpositions(source: FlatLayout, target: FlatLayout) -> int:
    """How many register bits must change places with lane bits within a warp.

    Triton shuffles for at most one and goes through shared memory for more.
    """
    sides = (source.without_register_copies, target.without_register_copies)
    registers = max(len(side.register) for side in sides)
    lanes = max(len(side.lane) for side in sides)
    first, second = (_padded(side, registers, lanes) for side in sides)
    moves = moves_between(first, second)
    moved = [move for move, basis in zip(moves["register"], first.register, strict=True) if basis]
    crossing = sum(1 for move in moved if "lane" in move)
    return crossing + _copies_that_cross(first, second)


def _copies_that_cross(first: FlatLayout, second: FlatLayout) -> int:
    """Free register bits of the source whose counterpart among the target's free bits is a lane."""

    def places(layout: FlatLayout, other: FlatLayout) -> list[str]:
        pairs = [("register", a, b) for a, b in zip(layout.register, other.register, strict=True)]
        pairs += [("lane", a, b) for a, b in zip(layout.lane, other.lane, strict=True)]
        return [name for name, mine, its in pairs if not mine and its]

    matched = zip(places(first, second), places(second, first), strict=False)
    return sum(1 for mine, its in matched if mine == "register" and its == "lane")
