"""Bank conflicts of one LDS instruction of an AMD wave: lane groups, cycles, ideal.

Lanes of a group are served together; a group takes as many cycles as the busiest bank has distinct 4-byte
words. Lanes in the same word never conflict. The unit is called a wavefront here as everywhere in the
report; a conflict-free instruction takes as many as its bytes fill all banks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gluon_inspect.targets.lds import LdsRule
from gluon_inspect.traffic.shared.nvidia.banks import Cost

_WORD_BYTES = 4

Addresses = NDArray[np.int64]
Mask = NDArray[np.bool_]


def lds_cost(addresses: Addresses, bits: int, rule: LdsRule, active: Mask | None = None) -> Cost:
    """Cost of ds_read / ds_write instructions.

    `addresses`: byte addresses, shape (requests, lanes). `bits` a lane. `active`: lanes that take part, same
    shape; None means all. An instruction without an active lane costs nothing. Two-address instructions are
    two calls, one for each address.
    """
    mask = np.ones(addresses.shape, dtype=bool) if active is None else active
    words_each = max(bits // (8 * _WORD_BYTES), 1)
    groups: Addresses = np.array(rule.groups, dtype=np.int64)
    words = addresses[:, groups] // _WORD_BYTES
    spread = (words[..., None] + np.arange(words_each)).reshape(*words.shape[:2], -1)
    chosen = np.repeat(mask[:, groups], words_each, axis=2)
    wavefronts = _busiest_bank(spread, chosen, rule.banks).sum(axis=1)
    moved: Addresses = mask.sum(axis=1, dtype=np.int64) * bits // 8
    ideal = -(-moved // (rule.banks * _WORD_BYTES))
    return Cost(wavefronts, np.minimum(wavefronts, ideal))


def data_cycles(addresses: Addresses, bits: int, rule: LdsRule, active: Mask | None = None) -> Cost:
    """Cycles until one wave's data is through: its banks or its port, whichever is slower; the ideal: the port's.

    `lds_cost` is what the banks of a compute unit are busy, which two ports share.
    """
    lanes = np.ones(addresses.shape, dtype=bool) if active is None else active
    moved: Addresses = lanes.sum(axis=1, dtype=np.int64) * bits // 8
    port = -(-moved // rule.port_bytes)
    banks = lds_cost(addresses, bits, rule, active)
    return Cost(np.maximum(banks.wavefronts, port), port)


def _busiest_bank(words: Addresses, active: Mask, banks: int) -> Addresses:
    """(requests, groups, words) -> for each group, the most distinct active words that any bank holds."""
    rows = words.shape[0] * words.shape[1]
    keyed = np.sort(np.where(active, words, np.int64(-1)).reshape(rows, -1), axis=1)
    fresh = np.ones(keyed.shape, dtype=bool)
    fresh[:, 1:] = keyed[:, 1:] != keyed[:, :-1]
    fresh &= keyed >= 0
    slots = np.arange(rows, dtype=np.int64)[:, None] * banks + keyed % banks
    counts = np.bincount(slots[fresh], minlength=rows * banks)
    return counts.reshape(words.shape[0], words.shape[1], banks).max(axis=2).astype(np.int64)
