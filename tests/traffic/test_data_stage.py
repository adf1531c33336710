"""Cycles of the L1's data stage, against a simulator that goes lane by lane."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.targets.nvidia import SM_90
from gluon_inspect.traffic.global_memory.locality import spread

_LANES = 32


def _wavefronts(addresses: list[int], width: int, active: list[bool] | None = None) -> int:
    lanes = np.array(addresses, np.int64).reshape(1, 1, -1)
    mask = np.array(active or [True] * len(addresses)).reshape(1, 1, -1)
    return spread(lanes, mask, width, SM_90).wavefronts


def _simulated(addresses: list[int], width: int, active: list[bool]) -> int:
    """Groups of lanes that move 128 bytes at most: the busiest of 32 banks, or a fourth of the lines."""
    group = _LANES // max(1, width // 4)
    total = 0
    for first in range(0, _LANES, group):
        banks: dict[int, set[int]] = {}
        lines = set[int]()
        for lane in range(first, first + group):
            if active[lane]:
                lines.add(addresses[lane] // 128)
                for word in {byte // 4 for byte in range(addresses[lane], addresses[lane] + width)}:
                    banks.setdefault(word % 32, set()).add(word)
        total += max(max(map(len, banks.values()), default=0), -(-len(lines) // 4))
    return total


@pytest.mark.parametrize(
    ("stride", "width", "cycles"),
    [
        (4, 4, 1),
        (16, 16, 4),
        (0, 4, 1),
        (128, 4, 32),
        (48, 4, 4),  # three interleaved fields of four elements: at the speed of DRAM on an H200
        (132, 4, 8),
        (32, 16, 8),
        (2, 2, 1),
    ],
)
def test_strides(stride: int, width: int, cycles: int) -> None:
    assert _wavefronts([lane * stride for lane in range(_LANES)], width) == cycles


@given(
    st.sampled_from([2, 4, 8, 16]),
    st.lists(st.integers(0, 4095), min_size=_LANES, max_size=_LANES),
    st.lists(st.booleans(), min_size=_LANES, max_size=_LANES),
)
def test_any_lanes_take_what_the_simulator_says(width: int, places: list[int], active: list[bool]) -> None:
    addresses = [place * width for place in places]
    assert _wavefronts(addresses, width, active) == _simulated(addresses, width, active)
