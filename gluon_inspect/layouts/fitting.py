"""A blocked layout whose tile is no larger than its tensor, so that every element is held once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from gluon_inspect.model.encodings import BlockedEncoding

_WIDEST_BITS = 128


def blocked_without_copies(
    shape: Sequence[int], fastest: int, element_bits: int, warps: int, lanes: int
) -> BlockedEncoding | None:
    """A layout of `warps` x `lanes` threads over `shape` (elements) without copies, lanes along `fastest` first.

    A thread takes as many neighbours along `fastest` as its share, 16 bytes and the dimension allow. None
    where there are fewer elements than threads, or a size is no power of two.
    """
    sizes = (*shape, warps, lanes)
    if any(size < 1 or size & (size - 1) for size in sizes) or prod(shape) < warps * lanes:
        return None
    order = (fastest, *(dim for dim in reversed(range(len(shape))) if dim != fastest))
    per_thread, threads, spread = ([1] * len(shape) for _ in range(3))
    share = prod(shape) // (warps * lanes)
    per_thread[fastest] = min(share, max(_WIDEST_BITS // element_bits, 1), shape[fastest])
    room = [size // own for size, own in zip(shape, per_thread, strict=True)]
    _deal(lanes, order, threads, room)
    _deal(warps, order[::-1], spread, room)
    return BlockedEncoding(tuple(per_thread), tuple(threads), tuple(spread), order)


def _deal(count: int, order: Sequence[int], into: list[int], room: list[int]) -> None:
    """Spread a power of two over dimensions, as much as each has room for."""
    for dim in order:
        into[dim] = min(count, room[dim])
        room[dim] //= into[dim]
        count //= into[dim]
