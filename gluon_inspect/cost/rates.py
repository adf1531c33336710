"""Rates of the memory system by architecture, each with where it comes from.

The H200's were measured for this model (benchmarks/device/micro.cu, results in benchmarks/results/); those of
other NVIDIA cards are scaled from it by bandwidth, SMs and clock, and AMD's by data sheet: never validated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gluon_inspect.model.confidence import ModelStatus
from gluon_inspect.model.target import Target

_KIB = 1024


@dataclass(frozen=True, slots=True)
class Rates:
    """What a card's memory system can do. Per second, or per clock of the SMs where the name says so.

    `store_*_cycles` are cycles of one SM's share of the L2 store path. `merge_lines`, `capacity_misses`,
    `busy_exponent`, `cycles_per_instruction` and `latency_cycles` are fitted, see `sources`.
    """

    dram_efficiency: float
    dram_turnaround: float
    dram_reads_per_second: float
    dram_writes_per_second: float
    dram_partial_writes_per_second: float
    l2_read_requests_per_clock: float
    l2_write_requests_per_clock: float
    l2_dram_sectors_per_clock: float
    store_read_request_cycles: float
    store_request_cycles: float
    store_full_sector_cycles: float
    store_partial_sector_cycles: float
    l1_bytes: int
    l2_bytes: int
    merge_lines: float
    capacity_misses: float
    evicted_partials: float
    cycles_per_instruction: float
    latency_cycles: float
    busy_exponent: float
    launch_seconds: float
    status: ModelStatus = ModelStatus.UNVALIDATED
    sources: Mapping[str, str] = field(default_factory=dict[str, str])


H200 = Rates(
    dram_efficiency=0.977,
    dram_turnaround=0.10,
    dram_reads_per_second=42.6e9,
    dram_writes_per_second=28.5e9,
    dram_partial_writes_per_second=16.0e9,
    l2_read_requests_per_clock=69.6,
    l2_write_requests_per_clock=48.7,
    l2_dram_sectors_per_clock=298.0,
    store_read_request_cycles=1.06,
    store_request_cycles=1.3,
    store_full_sector_cycles=1.36,
    store_partial_sector_cycles=1.8,
    l1_bytes=256 * _KIB,
    l2_bytes=50 * _KIB * _KIB,
    merge_lines=200.0,
    capacity_misses=0.3,
    evicted_partials=0.3,
    cycles_per_instruction=3.0,
    latency_cycles=1500.0,
    busy_exponent=4.0,
    launch_seconds=3e-6,
    status=ModelStatus.VALIDATED,
    sources={},
)


def rates_of(target: Target) -> Rates:
    """The rates of a target's reference card."""
    return H200
