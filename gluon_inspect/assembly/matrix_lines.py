"""Hopper's matrix instructions at the lines of their MMAs.

ptxas gives HGMMA and its kin no row in the line table: read as written, each stands on the line of whatever was
scheduled before it, often the loop's. The PTX says where each `wgmma.mma_async` comes from.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gluon_inspect.model.asm import Assembly, Function, Instruction
from gluon_inspect.model.location import Location

_SASS = re.compile(r"[HIQB]GMMA(?:\.SP)?\.(\d+)x(\d+)x(\d+)")
_PTX = re.compile(r"wgmma\.mma_async\..*?\bm(\d+)n(\d+)k(\d+)")
_Shape = tuple[str, ...]
_Places = Mapping[_Shape, Sequence[Location | None]]


def located_by_mma(sass: Assembly, ptx: Assembly) -> Assembly:
    """The same SASS with each matrix instruction of Hopper at the place of its `wgmma.mma_async`.

    By shape where all of a shape have one place, in order where there are as many here as there. Otherwise,
    and only then, it has no place.
    """
    places = {function.name: _places(function) for function in ptx.functions}
    functions = tuple(_located(function, places.get(function.name, {})) for function in sass.functions)
    return replace(sass, functions=functions)


def _places(function: Function) -> _Places:
    found: defaultdict[_Shape, list[Location | None]] = defaultdict(list)
    for each in function.instructions:
        if match := _PTX.match(each.opcode):
            found[match.groups()].append(each.location)
    return found


def _located(function: Function, places: _Places) -> Function:
    shapes = [_shape(each) for each in function.instructions]
    if not any(shapes):
        return function
    turns = {shape: _turns(places.get(shape, ()), shapes.count(shape)) for shape in {*shapes} if shape}
    instructions = tuple(
        replace(each, location=next(turns[shape])) if shape else each
        for each, shape in zip(function.instructions, shapes, strict=True)
    )
    return replace(function, instructions=instructions)


def _shape(instruction: Instruction) -> _Shape | None:
    match = _SASS.match(instruction.opcode)
    return match.groups() if match else None


def _turns(places: Sequence[Location | None], count: int) -> Iterator[Location | None]:
    if len({*places}) == 1:
        return iter([places[0]] * count)
    return iter(places if len(places) == count else [None] * count)
