"""A function that derives a layout from a tensor's strides at run time, for code that gets either order."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from gluon_inspect.fixing.derived import LAYOUT_FOR
from gluon_inspect.model.encodings import BlockedEncoding

_WIDEST_BYTES = 16
SOURCE = (
    "# or from the strides at run time, so that either memory order is coalesced:",
    "import math",
    "",
    *LAYOUT_FOR.splitlines(),
)
"""As Gluon code; `block` is the tile's shape."""


def layout_for(
    strides_bytes: Sequence[int | None], shape: Sequence[int], element_bytes: int, num_warps: int, lanes: int
) -> BlockedEncoding | None:
    """What SOURCE gives for a tensor with these strides; None for less than two dimensions or unknown strides."""
    known = [stride for stride in strides_bytes if stride is not None]
    if len(known) != len(shape) or len(shape) < 2:
        return None
    order = tuple(sorted(range(len(shape)), key=lambda dim: known[dim]))
    fast, slow = order[0], order[-1]
    widest = _WIDEST_BYTES // element_bytes if known[fast] == element_bytes else 1
    per_thread, threads, warps = ([1] * len(shape) for _ in range(3))
    per_thread[fast] = max(1, min(widest, prod(shape) // (lanes * num_warps)))
    threads[fast] = min(lanes, shape[fast] // per_thread[fast])
    threads[slow] *= lanes // threads[fast]
    warps[slow] = num_warps
    return BlockedEncoding(tuple(per_thread), tuple(threads), tuple(warps), order)
