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
    """Blocked layouts, the likeliest orders first.

    Every way to share lanes and warps between the dimensions in an order, with 16 to 1 bytes a thread along the
    fastest one. Layouts bigger than the tensor are among them: warps and lanes that hold copies load what the L1
    has already, and fewer programs at once may be what the L2 has room for. The order that memory has comes
    first, so that a tie keeps it.
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
    width = _power_below(min(max(1, _WIDEST_BYTES // element_bytes), shape[order[0]]))
    while width >= 1:
        for share in _splits(lanes, _room(shape, order)):
            # warps along the slowest dimension first: each then keeps whole rows to itself
            for spread in _splits(warps, _room(shape, order[::-1])):
                yield _blocked(order, width, share, spread[::-1], len(shape))
        width //= 2


def _room(shape: Sequence[int], order: tuple[int, ...]) -> list[int]:
    """Lanes or warps that a dimension takes at most: two for each element, so that one may be a copy."""
    return [2 * shape[dim] for dim in order]


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
