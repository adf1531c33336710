"""cp.async (LDGSTS): global memory to shared memory without registers, and what its shared side costs.

The wavefronts were fitted to an H200's counters (docs/shared-memory.md): 4- and 8-byte copies and
16-byte ones that go through L1 exactly, save for 64-bit elements in some swizzles; 16-byte copies that
bypass L1 in four of five layouts. The rest depends on when sectors arrive from L2, which no layout
tells; those numbers are marked assumed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gluon_inspect.traffic.shared.nvidia.banks import BANKS, WORD_BYTES, Addresses, Cost, Mask

_BYPASS_BYTES = 16
_LINE_BYTES = BANKS * WORD_BYTES


def copy_cost(shared: Addresses, memory: Addresses | None, active: Mask, width_bytes: int) -> Cost:
    """Cost of LDGSTS requests.

    `shared`, `memory`: byte addresses in shared and global memory, shape (requests, 32); `memory` None:
    unknown, taken as aligned and contiguous. `active`: lanes that copy. `width_bytes`: 4, 8 or 16.
    """
    source = shared if memory is None else memory
    lanes = shared.shape[1]
    rows = np.concatenate([shared, source, active.astype(np.int64)], axis=1)
    unique, back = np.unique(rows, axis=0, return_inverse=True)
    costs = [
        _request(row[:lanes], row[lanes : 2 * lanes], row[2 * lanes :], width_bytes) for row in unique.tolist()
    ]
    wavefronts: Addresses = np.array(costs, dtype=np.int64)[back.reshape(-1)]
    moved: Addresses = active.sum(axis=1, dtype=np.int64) * width_bytes
    return Cost(wavefronts, np.minimum(wavefronts, -(-moved // _LINE_BYTES)))


def _request(shared: list[int], memory: list[int], active: list[int], width: int) -> int:
    phase = min(_LINE_BYTES // width, len(shared))
    parts = (slice(at, at + phase) for at in range(0, len(shared), phase))
    return sum(_phase(shared[part], memory[part], active[part], width) for part in parts)


def _phase(shared: Sequence[int], memory: Sequence[int], active: Sequence[int], width: int) -> int:
    """Wavefronts of the lanes that are served together.

    Through L1: each lane waits for its turn at its bank of the cache and for its turn at its bank of
    shared memory; lanes whose waits add up to the same are served together. Past L1: one wavefront for
    each global line in each pass over the shared banks.
    """
    lanes = [(s, m) for s, m, on in zip(shared, memory, active, strict=False) if on]
    slots = _LINE_BYTES // width
    words: dict[int, dict[int, int]] = {}
    reads: dict[int, int] = {}
    served: set[tuple[int, int]] = set()
    for at, source in lanes:
        unit = at // width
        turns = words.setdefault(unit % slots, {})
        turn = turns.setdefault(unit, len(turns))
        bank = source // width % slots
        read = reads.get(bank, 0)
        reads[bank] = read + 1
        served.add((turn, source // _LINE_BYTES) if width == _BYPASS_BYTES else (turn + read, 0))
    return len(served)
