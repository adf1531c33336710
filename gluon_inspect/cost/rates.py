"""Rates of the memory system by architecture, each with where it comes from.

The H200's were measured for this model; those of other NVIDIA cards are scaled from them by bandwidth, SMs and
clock, AMD's likewise with its caches, and were never validated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from gluon_inspect.model.confidence import ModelStatus
from gluon_inspect.model.target import Target
from gluon_inspect.targets.nvidia import SM_90

_KIB = 1024
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Rates:
    """What a card's memory system can do; `sources` says where each number is from and which are fitted.

    Per second, or per clock of the SMs where the name says so. `dram_efficiency`: share of the data sheet's
    bandwidth that reads alone reach; `dram_turnaround`: share lost when half of the traffic is writes.
    `store_*_cycles`: cycles of one SM's share of the path to the L2. `merge_lines`: lines put in between two
    requests of a warp at which half of them still meet in the L1. `capacity_misses`, `evicted_partials`,
    `piece_weight`: see `flow`. `busy_exponent`: how work on different resources overlaps.
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
    l2_bytes: float
    merge_lines: float
    capacity_misses: float
    evicted_partials: float
    piece_weight: float
    cycles_per_instruction: float
    latency_cycles: float
    l2_hit_cycles: float
    l1_hit_cycles: float
    barrier_cycles: float
    busy_exponent: float
    launch_seconds: float
    status: ModelStatus = ModelStatus.UNVALIDATED
    sources: Mapping[str, str] = field(default_factory=dict[str, str])


_MICRO = "benchmarks/device/micro.cu on an H200"
_BUSY = "busy cycles of the unit over counted requests, Nsight Compute, 149 launches on an H200, within 3-7 %"
_FITTED = "fitted: times of 120 copies of other shapes, types and warp counts (benchmarks/device), not the sweep"
_LISTED = (
    "chosen by hand of 70, 96, 140, 400: half of benchmarks/results/explain_h200_2026-11-30.json wants no bound "
    "at all; the other half, the sweep and our own copies were seen; 69.6 is what the unit's busy cycles say"
)
_COUNTED = "fitted: requests and sectors that Nsight Compute counted for 149 copies; no time was used"

H200 = Rates(
    dram_efficiency=0.977,
    dram_turnaround=0.10,
    dram_reads_per_second=42.6e9,
    dram_writes_per_second=28.5e9,
    dram_partial_writes_per_second=16.0e9,
    l2_read_requests_per_clock=140.0,
    l2_write_requests_per_clock=48.7,
    l2_dram_sectors_per_clock=298.0,
    store_read_request_cycles=1.06,
    store_request_cycles=1.3,
    store_full_sector_cycles=1.36,
    store_partial_sector_cycles=1.8,
    l1_bytes=256 * _KIB,
    l2_bytes=30 * _MIB,
    merge_lines=200.0,
    capacity_misses=1.5,
    evicted_partials=0.3,
    piece_weight=0.5,
    cycles_per_instruction=3.0,
    latency_cycles=1500.0,
    l2_hit_cycles=291.0,
    l1_hit_cycles=49.0,
    barrier_cycles=60.0,
    busy_exponent=4.0,
    launch_seconds=3e-6,
    status=ModelStatus.VALIDATED,
    sources={
        "dram_efficiency": f"{_MICRO}: 8 GiB read at 4.69 TB/s of 4.8",
        "dram_turnaround": f"{_MICRO}: torch copy 4.28 TB/s against 4.69 reading and 4.65 writing",
        "dram_reads_per_second": f"{_MICRO}: 32 B at random places, 33.5 M in 0.787 ms",
        "dram_writes_per_second": f"{_MICRO}: 64 B at random places, 16.8 M in 0.594 ms",
        "dram_partial_writes_per_second": f"{_MICRO}: 16 B at random places, 33.5 M in 2.10 ms",
        "l2_read_requests_per_clock": _LISTED,
        "l2_write_requests_per_clock": f"lts__t_tag_requests: {_BUSY}",
        "l2_dram_sectors_per_clock": f"lts__t_tag_requests: {_BUSY}",
        "store_read_request_cycles": f"lts__xbar2lts_cycles_active: {_BUSY}",
        "store_request_cycles": f"{_MICRO}: stores into the L2, 1, 2 and 4 sectors a line: 3.2, 4.9, 8.5 cycles",
        "store_full_sector_cycles": f"{_MICRO}: whole lines stored into the L2: 6.75 cycles",
        "store_partial_sector_cycles": f"{_MICRO}: as store_request_cycles",
        "l1_bytes": "Hopper tuning guide: 256 KB of L1 and shared memory an SM",
        "l2_bytes": "half of what the device reports (60 MB): a line may stand in both partitions of the L2",
        "merge_lines": _COUNTED,
        "capacity_misses": _COUNTED,
        "evicted_partials": _FITTED,
        "piece_weight": "fitted: the sweep's layouts whose requests are shorter than the rows of their tile",
        "cycles_per_instruction": "stalls of copies with two warps a scheduler, Nsight Compute; confirmed by fit",
        "latency_cycles": "stalls on loads of the same kernels; confirmed by fit",
        "l2_hit_cycles": f"{_MICRO}: a pointer chase through 1 to 16 MiB",
        "l1_hit_cycles": f"{_MICRO}: a pointer chase through 16 KiB",
        "barrier_cycles": "assumed: storing and loading shared memory takes some 30 cycles each",
        "busy_exponent": _FITTED,
        "launch_seconds": "assumed: about what an empty kernel takes",
    },
)


@lru_cache(maxsize=64)
def _scaled(target_name: str, bandwidth: float, sms: float, l1_bytes: int, l2_bytes: float) -> Rates:
    return replace(
        H200,
        dram_reads_per_second=H200.dram_reads_per_second * bandwidth,
        dram_writes_per_second=H200.dram_writes_per_second * bandwidth,
        dram_partial_writes_per_second=H200.dram_partial_writes_per_second * bandwidth,
        l2_read_requests_per_clock=H200.l2_read_requests_per_clock * sms,
        l2_write_requests_per_clock=H200.l2_write_requests_per_clock * sms,
        l2_dram_sectors_per_clock=H200.l2_dram_sectors_per_clock * sms,
        l1_bytes=l1_bytes,
        l2_bytes=l2_bytes,
        status=ModelStatus.UNVALIDATED,
        sources=dict.fromkeys(H200.sources, f"{target_name}: scaled from the H200 by bandwidth, SMs and clock"),
    )


_AMD_L1_BYTES = {"gfx942": 32 * _KIB, "gfx950": 32 * _KIB}
"""Vector L1 of a compute unit: AMD CDNA 3 and CDNA 4 white papers; 16 KiB on older ones (CDNA 2)."""


def rates_of(target: Target) -> Rates:
    """The rates of a target's reference card."""
    if target.name == SM_90.name:
        return H200
    nvidia = target.backend == SM_90.backend
    chip = target.name.partition(":")[2]
    return _scaled(
        target.name,
        target.dram_bytes_per_second / SM_90.dram_bytes_per_second,
        target.sms / SM_90.sms,
        target.shared_bytes_per_sm + 28 * _KIB if nvidia else _AMD_L1_BYTES.get(chip, 16 * _KIB),
        target.l2_bytes / 2 if nvidia else float(target.l2_bytes),
    )
