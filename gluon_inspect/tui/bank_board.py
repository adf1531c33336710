"""The board of shared memory: which lanes of the first warp meet which banks, phase by phase. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gluon_inspect.evaluate.values import Ints
from gluon_inspect.layouts.drawing.colours import Colour
from gluon_inspect.model.confidence import ModelStatus
from gluon_inspect.traffic.shared.collisions import banks_of, phases_of
from gluon_inspect.traffic.shared.nvidia.banks import WORD_BYTES
from gluon_inspect.traffic.shared.transfer import Transfer
from gluon_inspect.tui.board import Board, Cell

_FREE = Colour(158, 206, 106)
_COLLIDES = Colour(208, 48, 80)
_MOST_LANES = 12


def bank_board(transfer: Transfer, instruction: int) -> Board:
    """One instruction of the first warp: the lanes at each bank in each phase; banks with several words lit.

    Banks and phases are the target's own: a phase of AMD's LDS is not always made of neighbouring lanes.
    """
    addresses = transfer.addresses[instruction, 0]
    active = None if transfer.active is None or transfer.matrices else transfer.active[instruction, 0]
    banks, phases = banks_of(transfer), phases_of(transfer)
    rows = [
        _phase_row(number, [lane for lane in phase if active is None or active[lane]], addresses, transfer)
        for number, phase in enumerate(phases)
    ]
    labels = tuple(f"phase {number}" for number in range(len(phases)))
    return Board(tuple(map(str, range(banks))), labels, tuple(rows), tuple(_notes(transfer, instruction)))


def _width_bytes(transfer: Transfer) -> int:
    return 4 * WORD_BYTES if transfer.matrices else max(transfer.bits // 8, 1)


def _notes(transfer: Transfer, instruction: int) -> Iterator[str]:
    cost, at = transfer.cost(), instruction * transfer.warps
    yield (
        f"{transfer.mnemonic} of {_width_bytes(transfer) * 8} bits a lane: {int(cost.wavefronts[at])} wavefronts "
        f"where {int(cost.ideal[at])} would do"
    )
    yield "cells: first lane at the bank, and how many words compete for it; red banks are the conflicts"
    if transfer.rule is not None:
        groups = "; ".join(map(_lanes_text, transfer.rule.groups[:2]))
        more = " …" if len(transfer.rule.groups) > 2 else ""
        doubt = "" if transfer.rule.model is ModelStatus.VALIDATED else f" ({transfer.rule.model})"
        yield f"{transfer.rule.banks} banks; lanes served together: {groups}{more}{doubt}"


def _lanes_text(lanes: Sequence[int]) -> str:
    """Runs of neighbouring lanes: "0-3, 20-23"."""
    runs: list[list[int]] = []
    for lane in lanes:
        if runs and lane == runs[-1][-1] + 1:
            runs[-1].append(lane)
        else:
            runs.append([lane])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _phase_row(number: int, lanes: Sequence[int], addresses: Ints, transfer: Transfer) -> tuple[Cell, ...]:
    banks, each = banks_of(transfer), max(_width_bytes(transfer) // WORD_BYTES, 1)
    words: dict[int, dict[int, list[int]]] = {}
    for lane in lanes:
        first = int(addresses[lane]) // WORD_BYTES
        for word in range(first, first + each):
            words.setdefault(word % banks, {}).setdefault(word, []).append(lane)
    return tuple(_bank_cell(number, bank, words.get(bank, {})) for bank in range(banks))


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
