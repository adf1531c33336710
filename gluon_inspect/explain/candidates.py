"""Candidate layouts of a global access, from the tensor's strides, its shape and the number of warps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from gluon_inspect.model.encodings import BlockedEncoding

_WIDEST_BYTES = 16
_MAX_RANK = 4


def fastest_first(strides: Sequence[int | None], shape: Sequence[int]) -> tuple[int, ...]:
    """Dimensions by the bytes between neighbours in memory, smallest first; unknown strides last."""

    def weight(dim: int) -> tuple[int, int]:
        stride = strides[dim] if dim < len(strides) else None
        if shape[dim] == 1 or not stride:
            return (2, -dim)
        return (0, abs(stride))

    return tuple(sorted(range(len(shape)), key=weight))


def candidates(
    shape: Sequence[int], element_bytes: int, strides: Sequence[int | None], warps: int, lanes: int
) -> Iterator[BlockedEncoding]:
    """Blocked layouts whose tile is no larger than the tensor, the likeliest orders first.

    Every way to share lanes and warps between the dimensions in an order, with 1 to 16 bytes a thread along
    the fastest one. The order that memory has comes first, so that a tie keeps it.
    """
    if len(shape) > _MAX_RANK:
        return
    natural = fastest_first(strides, shape)
    orders = [natural, *(order for order in permutations(range(len(shape))) if order != natural)]
    for order in orders[: 2 if len(shape) > 2 else len(orders)]:
        yield from _in_order(shape, element_bytes, order, warps, lanes)


def _in_order(
    shape: Sequence[int], element_bytes: int, order: tuple[int, ...], warps: int, lanes: int
) -> Iterator[BlockedEncoding]:
    width = max(1, _WIDEST_BYTES // element_bytes)
    while width >= 1:
        for share in _shares(lanes, shape, order, width):
            for spread in _spreads(warps, shape, order, share, width):
                yield _blocked(order, width, share, spread, len(shape))
        width //= 2


def _shares(lanes: int, shape: Sequence[int], order: tuple[int, ...], width: int) -> Iterator[list[int]]:
    """Lanes along each dimension of the order; all along the fastest first."""
    room = [max(1, shape[order[0]] // width), *(shape[dim] for dim in order[1:])]
    yield from _splits(lanes, room)


def _spreads(
    warps: int, shape: Sequence[int], order: tuple[int, ...], share: list[int], width: int
) -> Iterator[list[int]]:
    room = [max(1, shape[dim] // share[i] // (width if i == 0 else 1)) for i, dim in enumerate(order)]
    # warps along the slowest dimension first: each then keeps whole rows to itself
    yield from (split[::-1] for split in _splits(warps, room[::-1]))


def _splits(total: int, room: Sequence[int]) -> Iterator[list[int]]:
    """Powers of two whose product is `total`, each within its room but for the last one; largest first."""
    if len(room) == 1:
        yield [total]
        return
    take = min(total, _power_below(room[0]))
    while take >= 1:
        for rest in _splits(total // take, room[1:]):
            yield [take, *rest]
        take //= 2


def _power_below(number: int) -> int:
    return 1 << (max(1, number).bit_length() - 1)


def _blocked(
    order: tuple[int, ...], width: int, share: list[int], spread: list[int], rank: int
) -> BlockedEncoding:
    per_thread, threads, warps = [1] * rank, [1] * rank, [1] * rank
    per_thread[order[0]] = width
    for position, dim in enumerate(order):
        threads[dim], warps[dim] = share[position], spread[position]
    return BlockedEncoding(tuple(per_thread), tuple(threads), tuple(warps), order)
