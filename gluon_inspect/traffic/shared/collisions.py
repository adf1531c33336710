"""Which lanes collide on which bank: the worst phase of a transfer, lane by lane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gluon_inspect.traffic.shared.nvidia.banks import BANKS, WORD_BYTES
from gluon_inspect.traffic.shared.transfer import Transfer

_ROW_BYTES = 16


@dataclass(frozen=True, slots=True)
class Collision:
    """One bank that must serve several words: each word's byte address and the lanes that want it.

    For ldmatrix and stmatrix the lanes are those that give the row's address.
    """

    bank: int
    words: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def degree(self) -> int:
        """Words that the bank serves one after the other."""
        return len(self.words)


def worst_phase(transfer: Transfer) -> tuple[Collision, ...]:
    """The banks of the costliest phase of the costliest request, busiest first; none without conflicts."""
    cost = transfer.cost()
    if cost.wavefronts.size == 0 or not (cost.wavefronts > cost.ideal).any():
        return ()
    worst = int(np.argmax(cost.wavefronts - cost.ideal))
    lanes = transfer.addresses.shape[2]
    row = transfer.addresses.reshape(-1, lanes)[worst]
    active = np.ones(lanes, dtype=bool) if transfer.active is None else transfer.active.reshape(-1, lanes)[worst]
    width = _ROW_BYTES if transfer.matrices else max(transfer.bits // 8, 1)
    banks = banks_of(transfer)
    phases = [_collisions(row, active, group, width, banks) for group in phases_of(transfer)]
    return max(phases, key=lambda found: (found[0].degree if found else 0, len(found)))


def degree(transfer: Transfer) -> int:
    """The n of an n-way conflict: words that the busiest bank serves in one phase; 1 without conflicts."""
    found = worst_phase(transfer)
    return found[0].degree if found else 1


def banks_of(transfer: Transfer) -> int:
    """Banks of 4 bytes that the instruction sees."""
    return BANKS if transfer.rule is None else transfer.rule.banks


def phases_of(transfer: Transfer) -> Sequence[Sequence[int]]:
    """The lanes that are served together, phase by phase; rows of a matrix for ldmatrix and stmatrix."""
    if transfer.rule is not None:
        return transfer.rule.groups
    lanes = int(transfer.addresses.shape[2])
    size = _lanes_a_phase(transfer)
    return [range(at, min(at + size, lanes)) for at in range(0, lanes, size)]


def _lanes_a_phase(transfer: Transfer) -> int:
    if transfer.matrices:
        return 8
    return max(1, min(32, BANKS * WORD_BYTES * 8 // max(transfer.bits, 32)))


def _collisions(
    row: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    active: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    lanes: Sequence[int],
    width: int,
    count: int,
) -> tuple[Collision, ...]:
    words: dict[int, list[int]] = {}
    for lane in lanes:
        if active[lane]:
            first = int(row[lane]) // WORD_BYTES
            for word in range(first, first + max(width // WORD_BYTES, 1)):
                words.setdefault(word, []).append(lane)
    banks: dict[int, list[int]] = {}
    for word in words:
        banks.setdefault(word % count, []).append(word)
    found = [
        Collision(bank, tuple((word * WORD_BYTES, tuple(words[word])) for word in sorted(held)))
        for bank, held in banks.items()
        if len(held) > 1
    ]
    return tuple(sorted(found, key=lambda c: (-c.degree, c.bank)))
