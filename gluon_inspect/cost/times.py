"""How long a flow keeps each resource of the card busy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gluon_inspect.cost.flow import Flow
from gluon_inspect.cost.rates import Rates
from gluon_inspect.model.cost import Resource
from gluon_inspect.model.target import Target

_DRAM_EXPONENT = 3.0
"""Bytes and row accesses overlap: fits the copies of 32- to 1,024-byte chunks of benchmarks/device/micro.cu."""


def together(times: Iterable[float], exponent: float) -> float:
    """Time of work that overlaps but gets in each other's way: a power mean, the largest at least."""
    found = tuple(times)
    largest = max(found, default=0.0)
    if largest <= 0.0:
        return 0.0
    return largest * sum((each / largest) ** exponent for each in found) ** (1.0 / exponent)


def busy(flow: Flow, target: Target, rates: Rates, sms: int) -> Mapping[Resource, float]:
    """Seconds that each resource works for a flow at its full rate; `sms` take part."""
    cycle = 1.0 / target.clock_hz
    return {
        Resource.DRAM: _dram(flow, target, rates),
        Resource.L2_REQUESTS: _l2_requests(flow, target, rates) * cycle,
        Resource.L2_PATH: path_cycles(flow, rates) * cycle / sms,
        Resource.L1: flow.l1_wavefronts * cycle / sms,
        Resource.SHARED: flow.shared_wavefronts * cycle / sms,
    }


def _dram(flow: Flow, target: Target, rates: Rates) -> float:
    read, written = flow.dram_read_bytes, flow.dram_write_bytes
    mixed = 4.0 * read * written / (read + written) ** 2 if read + written else 0.0
    turning = 1.0 - rates.dram_turnaround * mixed
    bandwidth = target.dram_bytes_per_second * rates.dram_efficiency * turning
    reading = together((read / bandwidth, flow.dram_reads / rates.dram_reads_per_second), _DRAM_EXPONENT)
    writing = together((written / bandwidth, flow.dram_writes / rates.dram_writes_per_second), _DRAM_EXPONENT)
    return reading + writing + flow.dram_partial_writes / rates.dram_partial_writes_per_second


def _l2_requests(flow: Flow, target: Target, rates: Rates) -> float:
    moved = (flow.dram_read_bytes + flow.dram_write_bytes) / target.sector_bytes
    return (
        flow.l2_read_requests / rates.l2_read_requests_per_clock
        + flow.l2_write_requests / rates.l2_write_requests_per_clock
        + moved / rates.l2_dram_sectors_per_clock
    )


def path_cycles(flow: Flow, rates: Rates) -> float:
    """Cycles of the SMs' ways to the L2 for a flow, summed over SMs."""
    return (
        flow.l2_read_requests * rates.store_read_request_cycles
        + flow.l2_write_requests * rates.store_request_cycles
        + flow.l2_full_sectors * rates.store_full_sector_cycles
        + flow.l2_partial_sectors * rates.store_partial_sector_cycles
    )
