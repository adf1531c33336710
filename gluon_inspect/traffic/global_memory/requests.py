"""Addresses of lanes to requests, sectors and lines: what the memory pipeline counts.

A request is a warp instruction with at least one active lane. Its sectors are the distinct
`address // sector_bytes` over the bytes of all its active lanes, its lines the distinct
`address // line_bytes`; the ideal is `min(sectors, ceil(active lanes * bytes / sector_bytes))`, as Nsight
Compute counts it. Checked against the counters of 220 launches on an H200.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gluon_inspect.evaluate.values import Ints

Bools = npt.NDArray[np.bool_]
_NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Traffic:
    """Counts of some requests; they add up and scale."""

    requests: int = 0
    sectors: int = 0
    lines: int = 0
    sectors_ideal: int = 0
    lanes: int = 0
    """Active lanes, summed over the requests."""

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(
            self.requests + other.requests,
            self.sectors + other.sectors,
            self.lines + other.lines,
            self.sectors_ideal + other.sectors_ideal,
            self.lanes + other.lanes,
        )

    def __mul__(self, times: int) -> Traffic:
        return Traffic(
            self.requests * times,
            self.sectors * times,
            self.lines * times,
            self.sectors_ideal * times,
            self.lanes * times,
        )


def _distinct(addresses: Ints, active: Bools, access_bytes: int, unit_bytes: int) -> Ints:
    """Distinct units that the active lanes of each row touch; rows are the last axis."""
    first = addresses // unit_bytes
    last = (addresses + (access_bytes - 1)) // unit_bytes
    units = first if np.array_equal(first, last) else np.concatenate([first, last], axis=-1)
    mask = active if units is first else np.concatenate([active, active], axis=-1)
    units = np.sort(np.where(mask, units, _NOWHERE), axis=-1)
    changes = (units[..., 1:] != units[..., :-1]).sum(axis=-1) + 1
    return changes - (units[..., -1] == _NOWHERE)


def count(addresses: Ints, active: Bools, access_bytes: int, sector_bytes: int, line_bytes: int) -> Traffic:
    """Traffic of instructions: `addresses` in bytes and `active`, both of shape (…, lanes)."""
    active = np.broadcast_to(active, addresses.shape)
    lanes = active.sum(axis=-1)
    sectors = _distinct(addresses, active, access_bytes, sector_bytes)
    lines = _distinct(addresses, active, access_bytes, line_bytes)
    ideal = np.minimum(sectors, -(-lanes * access_bytes // sector_bytes))
    return Traffic(
        int((lanes > 0).sum()), int(sectors.sum()), int(lines.sum()), int(ideal.sum()), int(lanes.sum())
    )
