"""How far nine of ten timed launches are from their expected time, by what limits them.

Learned from 234 launches on an H200 (../shared/truth/times_h200.json.gz): `python -m benchmarks.times` prints
these numbers, and the share of launches within bands that were learned without their family of kernels (91 %).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Limit(StrEnum):
    """What sets a launch's time, as far as bands tell it apart."""

    DRAM = "DRAM"
    MEMORY = "L2"
    SM = "SM"
    LATENCY = "latency"


BANDS: Mapping[Limit, float] = {
    Limit.DRAM: 0.1,
    Limit.MEMORY: 0.22,
    Limit.SM: 0.28,
    Limit.LATENCY: 0.2,
}
"""Shares of the expected time; of 62, 39, 29 and 97 launches."""

BETWEEN_CONFIGURATIONS = 0.23
"""How far nine of ten pairs of configurations of one problem are from the ratio of their expected times.

710 pairs of kernels on an H200 whose times are within a factor of two (`python -m benchmarks.tune`).
"""
