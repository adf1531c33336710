"""Boards of memory: where the first warp's lanes meet global memory, and the banks of shared memory. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gluon_inspect.addresses.global_access import GlobalAccess
from gluon_inspect.addresses.shared.banks import BANKS, WORD_BYTES
from gluon_inspect.addresses.shared.transfer import Transfer
from gluon_inspect.addresses.values import Ints
from gluon_inspect.layouts.drawing.colours import Colour, by_bank
from gluon_inspect.tui.board import Board, Cell

_ACROSS = 8
"""Lanes a row: four sectors of 4-byte elements side by side."""
_MATRIX_ROWS = 8
_FREE = Colour(158, 206, 106)
_COLLIDES = Colour(208, 48, 80)
_COLOURS, _STRIDE = 16, 5
"""Neighbouring sectors get colours that are far from each other."""
_MOST_LANES = 12


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


def bank_board(transfer: Transfer, instruction: int) -> Board:
    """One instruction of the first warp: the lanes at each bank in each phase; banks with several words lit."""
    addresses = transfer.addresses[instruction, 0]
    active = None if transfer.active is None else transfer.active[instruction, 0]
    lanes = [lane for lane in range(len(addresses)) if active is None or transfer.matrices or active[lane]]
    width = 4 * WORD_BYTES if transfer.matrices else max(transfer.bits // 8, 1)
    phases = _phases(len(addresses), width, bool(transfer.matrices))
    rows = [
        _phase_row(number, [lane for lane in phase if lane in lanes], addresses, width)
        for number, phase in enumerate(phases)
    ]
    cost = transfer.cost()
    at = instruction * transfer.warps
    notes = (
        f"{transfer.mnemonic} of {width * 8} bits a lane: {int(cost.wavefronts[at])} wavefronts where "
        f"{int(cost.ideal[at])} would do",
        "cells: first lane at the bank, and how many words compete for it; red banks are the conflicts",
    )
    return Board(
        tuple(map(str, range(BANKS))), tuple(f"phase {n}" for n in range(len(phases))), tuple(rows), notes
    )


def _phases(lanes: int, width_bytes: int, matrices: bool) -> list[range]:
    """Lanes served together: all up to 4 bytes, halves at 8, quarters at 16, one matrix (eight rows) each."""
    size = _MATRIX_ROWS if matrices else max(lanes * WORD_BYTES // max(width_bytes, WORD_BYTES), 1)
    return [range(at, at + size) for at in range(0, lanes, size)]


def _phase_row(number: int, lanes: Sequence[int], addresses: Ints, width_bytes: int) -> tuple[Cell, ...]:
    words: dict[int, dict[int, list[int]]] = {}
    for lane in lanes:
        first = int(addresses[lane]) // WORD_BYTES
        for word in range(first, first + max(width_bytes // WORD_BYTES, 1)):
            words.setdefault(word % BANKS, {}).setdefault(word, []).append(lane)
    return tuple(_bank_cell(number, bank, words.get(bank, {})) for bank in range(BANKS))


def _bank_cell(phase: int, bank: int, words: dict[int, list[int]]) -> Cell:
    if not words:
        return Cell("", None, f"phase {phase}, bank {bank}: nobody", f"{phase}:{bank}")
    lanes = sorted({lane for group in words.values() for lane in group})
    shown = ", ".join(map(str, lanes[:_MOST_LANES])) + (", …" if len(lanes) > _MOST_LANES else "")
    degree = len(words)
    said = f"{degree} words: {degree} wavefronts" if degree > 1 else "one word"
    label = f"{lanes[0]}×{degree}" if degree > 1 else f"{lanes[0]}"
    readout = f"phase {phase}, bank {bank}: lane{'s' if len(lanes) > 1 else ''} {shown}; {said}"
    return Cell(
        label, _COLLIDES if degree > 1 else _FREE, readout, "conflict" if degree > 1 else f"{phase}:{bank}"
    )
