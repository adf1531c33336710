"""A small drawing: where the lanes of the first warp's first instruction meet memory."""

from __future__ import annotations

import numpy as np

from gluon_inspect.evaluate.values import Ints
from gluon_inspect.traffic.global_memory.access import GlobalAccess

_SHOWN_LANES = 4
_SHOWN_SECTORS = 4
_USED, _IN_PART, _UNUSED = "#", "+", "."
_MARKS = 32
"""Marks for one sector: a mark is one byte of NVIDIA's sectors, two of AMD's."""


def draw(access: GlobalAccess) -> tuple[str, ...]:
    """Lines of text: elements and addresses of some lanes, then the sectors touched and the bytes used.

    Empty for scalar accesses and unknown addresses. At most 78 columns.
    """
    sample, placement, tensor = access.tally.sample, access.placement, access.tensor
    if sample is None or placement is None or tensor is None:
        return ()
    elements = placement.first[0, 0]
    active = np.ones(len(elements), np.bool_)
    if sample.mask is not None:
        active = sample.mask.reshape(-1)[elements] != 0
    if not active.any():
        return ()
    addresses = sample.row.reshape(-1)[elements] + sample.base
    size = placement.vector * access.tally.element_bytes
    sector = access.context.target.sector_bytes
    return (
        f"first warp, first instruction: {int(active.sum())} lanes of {size} bytes",
        *_lanes(elements, addresses, tensor.shape),
        *_sectors(addresses[active], size, sector),
    )


def _lanes(elements: Ints, addresses: Ints, shape: tuple[int, ...]) -> tuple[str, ...]:
    count = len(elements)
    chosen = [*range(min(_SHOWN_LANES, count - 1)), count - 1]
    heads = [str(lane) for lane in chosen]
    places = [_place(int(elements[lane]), shape) for lane in chosen]
    offsets = [f"+{int(addresses[lane] - addresses.min())}" for lane in chosen]
    gap = ["…", "", ""]
    columns = [max(map(len, column)) for column in zip(heads, places, offsets, strict=True)]
    rows = zip(("lane", "element", "byte"), (heads, places, offsets), gap, strict=True)
    return tuple(_row(name, cells, columns, dots) for name, cells, dots in rows)


def _row(name: str, cells: list[str], widths: list[int], dots: str) -> str:
    padded = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
    return f"  {name:8}{'  '.join(padded[:-1])}  {dots or ' '}  {padded[-1]}".rstrip()


def _place(element: int, shape: tuple[int, ...]) -> str:
    return "(" + ", ".join(str(int(x)) for x in np.unravel_index(element, shape)) + ")"


def _sectors(addresses: Ints, size: int, sector: int) -> tuple[str, ...]:
    touched = (addresses[:, None] + np.arange(size)).reshape(-1)
    base = int(touched.min()) // sector * sector
    ids, counts = np.unique(touched // sector, return_counts=True)
    del counts
    lines = [_sector(touched, int(i), base, sector) for i in ids[:_SHOWN_SECTORS]]
    more = len(ids) - len(lines)
    used = len(np.unique(touched)) / (len(ids) * sector)
    tail = [f"  … {more} more"] if more > 0 else []
    scale = f" (a mark is {sector // _MARKS} bytes)" if sector > _MARKS else ""
    head = f"  {len(ids)} sector{'s' if len(ids) > 1 else ''} of {sector} bytes{scale}, {used:.0%} of them used:"
    return (head, *lines, *tail)


def _sector(touched: Ints, index: int, base: int, sector: int) -> str:
    own = set((touched[touched // sector == index] % sector).tolist())
    step = max(1, sector // _MARKS)
    cells = "".join(_mark(len(own & set(range(at, at + step))), step) for at in range(0, sector, step))
    return f"  {f'+{index * sector - base}':>10}  [{cells}]"


def _mark(used: int, size: int) -> str:
    if not used:
        return _UNUSED
    return _USED if used == size else _IN_PART
