"""Im2col copies: which pixels one instruction visits, and what it reads of memory.

A window lies on the spatial dimensions: from the lower corner to the tensor's last element plus the upper
corner, both inclusive. A copy starts at its coordinates and visits as many pixels as its block has, each one
element stride behind the one before; behind the window's end it goes on at the lower corner of the next row,
plane and image. The copy's offsets then move every pixel, and what lies outside the tensor is filled in, not
read. Strides do not make the pixels fewer (PTX ISA, Tensors, im2col mode; cuTensorMapEncodeIm2col).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gluon_inspect.evaluate.descriptors import Descriptor
from gluon_inspect.evaluate.values import Ints, Scalar, as_array
from gluon_inspect.model.artifact import PixelBox
from gluon_inspect.traffic.bulk.box import Boxes
from gluon_inspect.traffic.bulk.tally import LINE_BYTES, BulkTally, BulkTraffic, distinct

_MOST_PIXELS = 1 << 24
_NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class PixelCopy:
    """One operation under `count` executions. `corner`: image, spatial dimensions, channel; `offsets`: spatial.

    `cut`: pixels and channels of all CTAs, of one and of one instruction.
    """

    corner: tuple[Scalar, ...]
    offsets: tuple[Scalar, ...]
    cut: Boxes
    count: int


def count_pixels(tally: BulkTally, tensor: Descriptor, window: PixelBox, copy: PixelCopy) -> str:
    """Add the traffic of a copy; why it could not be, in words."""
    sizes = tuple(size for size in tensor.shape if isinstance(size, int))
    steps = tuple(stride for stride in tensor.strides if isinstance(stride, int))
    if len(sizes) < len(tensor.shape) or len(steps) < len(tensor.strides):
        return "im2col: a tensor that differs by program"
    if not len(sizes) == len(copy.corner) == len(copy.offsets) + 2 == len(window.lower) + 2:
        return "im2col: coordinates, offsets and pixel box of different rank"
    tile, share, box = copy.cut.tile, copy.cut.share, copy.cut.box
    if box[0] < share[0]:
        return "im2col: more pixels than one instruction takes"
    columns = [as_array(value, copy.count) for value in (tensor.base, *copy.corner, *copy.offsets)]
    columns[len(sizes)] = _same_lines(columns[len(sizes)], tile[1], sizes[-1], tally.element_bytes)
    starts, times = distinct(columns)
    if starts.shape[1] * tile[0] > _MOST_PIXELS:
        return "too many pixels to count"
    first = _first_pixels(starts, sizes, window, copy)
    if first is None:
        return "im2col: a copy that starts beside the pixels of its window"
    for number in first:
        places = _places(number, starts, sizes, steps, window, share[0])
        for channel in range(0, tile[1], box[1]):
            low = starts[len(sizes)] + channel
            high = np.minimum(low + box[1], sizes[-1])
            tally.traffic += _traffic(places, starts[0], np.maximum(low, 0), high, times, tally)
    return ""


def _same_lines(channel: Ints, width: int, channels: int, element_bytes: int) -> Ints:
    """First channels, those a multiple of whole lines apart made one: they touch as many sectors and lines."""
    inside = (channel >= 0) & (channel + width <= channels)
    return np.where(inside, channel % max(1, LINE_BYTES // element_bytes), channel)


def _span(sizes: Sequence[int], window: PixelBox) -> tuple[int, ...]:
    """Pixels of the window along each spatial dimension."""
    rows = zip(sizes[1:-1], window.lower, window.upper, window.steps[1:-1], strict=True)
    return tuple(max(0, -(-(size + upper - lower) // step)) for size, lower, upper, step in rows)


def _first_pixels(starts: Ints, sizes: Sequence[int], window: PixelBox, copy: PixelCopy) -> list[Ints] | None:
    """The number of the first pixel of each CTA's share, counted through images; None: it is none of them.

    Triton adds a CTA's place in the tile to the innermost spatial coordinate.
    """
    found: list[Ints] = []
    for shift in range(0, copy.cut.tile[0], copy.cut.share[0]):
        number = starts[1].copy()
        rows = zip(_span(sizes, window), window.lower, window.steps[1:-1], strict=True)
        for place, (span, lower, step) in enumerate(rows):
            is_last = place == len(window.lower) - 1
            at = starts[2 + place] - lower + (shift if is_last else 0)
            if (at % step).any() or (at < 0).any() or (at // step >= span).any():
                return None
            number = number * span + at // step
        found.append(number)
    return found


def _places(
    first: Ints, starts: Ints, sizes: Sequence[int], strides: Sequence[int], window: PixelBox, pixels: int
) -> Ints:
    """Element offsets of the pixels, shape (copies, pixels); `_NOWHERE` outside the tensor."""
    number = first[:, None] + np.arange(pixels)
    at, inside = np.zeros_like(number), np.ones(number.shape, np.bool_)
    span = _span(sizes, window)
    for place in reversed(range(len(span))):
        number, digit = np.divmod(number, span[place])
        shift = starts[1 + len(sizes) + place][:, None]
        position = digit * window.steps[1 + place] + window.lower[place] + shift
        inside &= (position >= 0) & (position < sizes[1 + place])
        at += position * strides[1 + place]
    inside &= (number >= 0) & (number < sizes[0])
    return np.where(inside, at + number * strides[0], _NOWHERE)


def _traffic(places: Ints, base: Ints, low: Ints, high: Ints, times: Ints, tally: BulkTally) -> BulkTraffic:
    size = tally.element_bytes
    wide = (np.maximum(high - low, 0) * size)[:, None]
    inside = (places != _NOWHERE) & (wide > 0)
    start = np.where(inside, (base + low * size)[:, None] + np.where(inside, places, 0) * size, _NOWHERE)
    start.sort(axis=1)
    inside = start != _NOWHERE
    moved = inside.sum(axis=1) * wide[:, 0]
    sectors = _units(start, inside, wide, tally.sector_bytes)
    ideal = np.minimum(-(-moved // tally.sector_bytes), sectors)
    lines = _units(start, inside, wide, LINE_BYTES)
    return BulkTraffic(*(int((each * times).sum()) for each in (sectors, ideal, lines, moved)))


def _units(start: Ints, inside: Ints, wide: Ints, unit: int) -> Ints:
    """Distinct units of memory for each copy; its pixels sorted by address and of one width."""
    first = np.where(inside, start, 0) // unit
    last = (np.where(inside, start, 0) + wide - 1) // unit
    begins = first.copy()
    begins[:, 1:] = np.maximum(first[:, 1:], last[:, :-1] + 1)
    return np.where(inside, np.maximum(last - begins + 1, 0), 0).sum(axis=1)
