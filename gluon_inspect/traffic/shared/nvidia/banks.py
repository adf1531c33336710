"""Bank conflicts of one warp instruction on NVIDIA: phases, wavefronts, ideal, degree.

Rules (checked on an H200 against per-instruction counters, see docs/shared-memory.md): 32 banks of
4 bytes; lanes in the same word never conflict, sub-word ones included. Accesses up to 32 bits are
served at once, 64-bit ones by half warps, 128-bit ones by quarter warps. Two neighbouring phases of a
wide load are served as one where no active lane differs from an active neighbour (lane ^ 1, or
lane ^ 2) and the two together are free of conflicts; those of a store never are. A phase costs as many
wavefronts as the busiest bank has distinct words.
ldmatrix / stmatrix: one phase per 8x8 matrix, made of its eight 16-byte rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BANKS = 32
WORD_BYTES = 4
LANES = 32

Addresses = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cost:
    """Wavefronts per request, `shape (requests,)` each: as served, and at best."""

    wavefronts: NDArray[np.int64]
    ideal: NDArray[np.int64]

    @property
    def total(self) -> int:
        """All wavefronts."""
        return int(self.wavefronts.sum())

    @property
    def total_ideal(self) -> int:
        """All wavefronts at best."""
        return int(self.ideal.sum())


def _busiest_bank(words: Addresses, active: Mask) -> NDArray[np.int64]:
    """Rows of word indices -> for each row, the most distinct active words that any bank holds."""
    rows = words.shape[0]
    keyed = np.sort(np.where(active, words, np.int64(-1)), axis=1)
    fresh = np.ones(keyed.shape, dtype=bool)
    fresh[:, 1:] = keyed[:, 1:] != keyed[:, :-1]
    fresh &= keyed >= 0
    slots = np.arange(rows, dtype=np.int64)[:, None] * BANKS + keyed % BANKS
    counts = np.bincount(slots[fresh], minlength=rows * BANKS)
    return counts.reshape(rows, BANKS).max(axis=1).astype(np.int64)


def _phase_costs(addresses: Addresses, active: Mask, words_each: int) -> NDArray[np.int64]:
    """Rows of lanes served together -> wavefronts; each lane touches `words_each` words."""
    first = addresses // WORD_BYTES
    words = (first[:, :, None] + np.arange(words_each)).reshape(addresses.shape[0], -1)
    return _busiest_bank(words, np.repeat(active, words_each, axis=1))


def _neighbours_agree(addresses: Addresses, active: Mask) -> Mask:
    """Rows in which no two active lanes that are ^ 1 apart differ, or none that are ^ 2 apart."""
    lanes: Addresses = np.arange(addresses.shape[1], dtype=np.int64)
    agree = np.zeros(addresses.shape[0], dtype=bool)
    for step in (1, 2):
        other: Addresses = lanes ^ step
        both = active & active[:, other]
        agree |= ((addresses == addresses[:, other]) | ~both).all(axis=1)
    return agree


def _served(addresses: Addresses, active: Mask, bits: int, store: bool) -> Addresses:
    """Wavefronts of rows of lanes that are two phases of this width."""
    words_each = bits // (8 * WORD_BYTES)
    half = addresses.shape[1] // 2
    first, second = (
        _phase_costs(addresses[:, part], active[:, part], words_each)
        for part in (slice(None, half), slice(half, None))
    )
    if store:
        return first + second
    together = _phase_costs(addresses, active, words_each)
    merged = _neighbours_agree(addresses, active) & (together == 1)
    return np.where(merged, together, first + second)


def _wavefronts(addresses: Addresses, bits: int, active: Mask, store: bool) -> Addresses:
    if bits <= 8 * WORD_BYTES:
        return _phase_costs(addresses, active, 1)
    if bits == 16 * WORD_BYTES:
        return _served(addresses, active, bits, store)
    halves = (slice(None, LANES // 2), slice(LANES // 2, None))
    first, second = (_served(addresses[:, part], active[:, part], bits, store) for part in halves)
    return first + second


def access_cost(addresses: Addresses, bits: int, active: Mask | None = None, *, store: bool = False) -> Cost:
    """Cost of LDS / STS requests.

    `addresses`: byte addresses, shape (requests, 32). `bits`: bits a lane (8 to 128). `active`: lanes
    that take part, same shape; None means all. A request without an active lane costs nothing. The
    ideal is what the active lanes' bytes would take at 128 bytes each, never more than the cost.
    """
    mask = np.ones(addresses.shape, dtype=bool) if active is None else active
    wavefronts = _wavefronts(addresses, bits, mask, store)
    line_bytes = BANKS * WORD_BYTES
    bytes_moved: Addresses = mask.sum(axis=1, dtype=np.int64) * bits // 8
    return Cost(wavefronts, np.minimum(wavefronts, -(-bytes_moved // line_bytes)))


def matrix_cost(rows: Addresses) -> Cost:
    """Cost of ldmatrix / stmatrix requests; `rows`: row addresses, shape (requests, 8 * matrices)."""
    requests, lanes = rows.shape
    phases = rows.reshape(requests * (lanes // 8), 8)
    costs = _phase_costs(phases, np.ones(phases.shape, dtype=bool), 4).reshape(requests, -1)
    return Cost(costs.sum(axis=1), np.ones(requests, dtype=np.int64) * (lanes // 8))
