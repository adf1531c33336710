"""The board of global memory: where the first warp's lanes meet it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gluon_inspect.evaluate.values import Ints
from gluon_inspect.layouts.drawing.colours import by_bank
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.tui.board import Board, Cell

_ACROSS = 8
"""Lanes a row: four sectors of 4-byte elements side by side."""
_COLOURS, _STRIDE = 16, 5
"""Neighbouring sectors get colours that are far from each other."""


def instructions_of(access: GlobalAccess) -> int:
    """Memory instructions of one warp; 0 where the addresses are unknown."""
    if access.tally.sample is None or access.placement is None or access.tensor is None:
        return 0
    return int(access.placement.first.shape[1])


def memory_board(access: GlobalAccess, instruction: int) -> Board:
    """One instruction of the first warp: each lane's byte, its sector by colour, lanes that do nothing hatched.

    The access must have `instructions_of` it.
    """
    elements, addresses, active = _lanes(access, instruction)
    sector_bytes = access.context.target.sector_bytes
    vector = access.placement.vector if access.placement is not None else 1
    size = vector * access.tally.element_bytes
    base = int(addresses[active].min()) // sector_bytes * sector_bytes if active.any() else 0
    shape = access.tensor.shape if access.tensor is not None else ()
    order = {int(s): n for n, s in enumerate(np.unique((addresses[active] - base) // sector_bytes))}
    cells = [
        _lane_cell(lane, int(address) - base, size, (sector_bytes, order), _coordinates(int(element), shape))
        if on
        else Cell(
            "off", None, f"lane {lane}: {_coordinates(int(element), shape)} is masked off", "off", hatched=True
        )
        for lane, (element, address, on) in enumerate(zip(elements, addresses, active, strict=True))
    ]
    rows = [tuple(cells[at : at + _ACROSS]) for at in range(0, len(cells), _ACROSS)]
    labels = tuple(f"lane {at}" for at in range(0, len(cells), _ACROSS))
    columns = tuple(f"+{column}" for column in range(min(_ACROSS, len(cells))))
    return Board(columns, labels, tuple(rows), _sector_notes(addresses[active], size, sector_bytes))


def _lanes(
    access: GlobalAccess, instruction: int
) -> tuple[Ints, Ints, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    sample, placement = access.tally.sample, access.placement
    if sample is None or placement is None:
        raise ValueError("the addresses of this access are unknown")
    elements = placement.first[0, instruction]
    active = np.ones(len(elements), np.bool_)
    if sample.mask is not None:
        active = np.asarray(np.broadcast_to(sample.mask, sample.row.shape).reshape(-1)[elements] != 0)
    return elements, sample.row.reshape(-1)[elements] + sample.base, active


def _lane_cell(
    lane: int, offset: int, size: int, sectors_by: tuple[int, dict[int, int]], at: tuple[int, ...]
) -> Cell:
    sector_bytes, order = sectors_by
    first, last = offset // sector_bytes, (offset + size - 1) // sector_bytes
    sectors = f"sector {first}" if first == last else f"sectors {first} to {last}"
    readout = f"lane {lane}: element {at}, bytes {offset:+} to {offset + size - 1:+}, {sectors}"
    return Cell(f"{offset:+}", by_bank(order[first] * _STRIDE % _COLOURS, _COLOURS), readout, f"sector{first}")


def _coordinates(element: int, shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(x) for x in np.unravel_index(element, tuple(shape)))


def _sector_notes(addresses: Ints, size: int, sector_bytes: int) -> tuple[str, ...]:
    if not len(addresses):
        return ("no lane of the first warp is active in this instruction",)
    touched = (addresses[:, None] + np.arange(size)).reshape(-1)
    sectors, used = len(np.unique(touched // sector_bytes)), len(np.unique(touched))
    ideal = -(-used // sector_bytes)
    share = used / (sectors * sector_bytes)
    return (
        f"first warp of the first program: {len(addresses)} lanes of {size} bytes touch {sectors} sectors of "
        f"{sector_bytes} bytes where {ideal} would hold them; {share:.0%} of their bytes are used",
        "cells: byte from the first sector touched; one colour a sector",
    )
