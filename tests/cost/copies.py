"""copy_2d of a matrix under a blocked layout, as access records: what the timed layouts of the sweep are."""

from __future__ import annotations

import numpy as np

from gluon_inspect.axis.vector import contiguous_registers, fastest_dim
from gluon_inspect.cost.model import Work
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.encodings import BlockedEncoding
from gluon_inspect.targets.nvidia import SM_90
from gluon_inspect.traffic.global_memory.meetings import Meetings
from gluon_inspect.traffic.global_memory.requests import count
from gluon_inspect.traffic.placement import place


def _strides(mem, matrix):
    rows, columns = (matrix[1], 1), (1, matrix[0])
    return columns if mem == "cm" else rows, rows if mem == "rm" else columns


def copy_accesses(mem, block, layout, matrix=(16384, 16384), element_bytes=4) -> tuple[Access, Access]:
    """The load and the store of one launch; strides are multiples of 16, so that the layout sets the width."""
    encoding = BlockedEncoding(*(tuple(part) for part in layout))
    load, store = _strides(mem, matrix)
    return (
        _access("load", Direction.LOAD, encoding, block, matrix, load, element_bytes),
        _access("store", Direction.STORE, encoding, block, matrix, store, element_bytes),
    )


def copy_work(block, layout, registers, spill_bytes, instructions, matrix=(16384, 16384)) -> Work:
    """The launch that goes with `copy_accesses`."""
    warps = int(np.prod(layout[2]))
    return Work(
        target=SM_90,
        programs=_programs(block, matrix),
        num_warps=warps,
        occupancy=occupancy(SM_90, registers, 0, warps),
        instructions=instructions,
        spill_bytes=spill_bytes,
    )


def _programs(block, matrix) -> int:
    return -(-matrix[0] // block[0]) * -(-matrix[1] // block[1])


def _access(name, direction, encoding, block, matrix, strides, element_bytes) -> Access:
    linear = linear_layout(encoding, block)
    dim = fastest_dim(linear)
    wide = min(contiguous_registers(linear, dim), 16 // element_bytes) if strides[dim] == 1 else 1
    placement = place(linear, wide)
    rows, columns = np.divmod(placement.first, block[1])
    addresses = (rows * strides[0] + columns * strides[1]) * element_bytes
    active = placement.owns if direction is Direction.STORE else np.ones(1, np.bool_)
    size = wide * element_bytes
    found = count(addresses, np.asarray(active), size, 32, 128)
    programs = _programs(block, matrix)
    return Access(
        id=name,
        op=f"tt.{name}",
        space=Space.GLOBAL,
        direction=direction,
        location=None,
        requests=found.requests * programs,
        sectors=found.sectors * programs,
        lines=found.lines * programs,
        sectors_ideal=found.sectors_ideal * programs,
        bytes_requested=found.lanes * size * programs,
        bytes_unique=matrix[0] * matrix[1] * element_bytes,
        executions=programs,
        confidence=Confidence.EXACT,
        locality=_locality(addresses, active, size, block, matrix, strides, element_bytes),
    )


def _locality(addresses, active, size, block, matrix, strides, element_bytes):
    programs, across = _programs(block, matrix), -(-matrix[0] // block[0])
    meetings = Meetings()
    meetings.add("tile", addresses, np.asarray(active), size, SM_90)
    meetings.repeat("tile", 1)
    ids = np.arange(min(programs, 1024))
    bases = (ids % across * block[0] * strides[0] + ids // across * block[1] * strides[1]) * element_bytes
    x, y = np.arange(block[0])[:, None], np.arange(block[1])[None, :]
    tile = np.unique((x * strides[0] + y * strides[1]) * element_bytes)
    meetings.start(bases, np.zeros(len(ids), np.int64), {0: tile})
    return meetings.locality(programs, 32)


__all__ = ["copy_accesses", "copy_work"]
