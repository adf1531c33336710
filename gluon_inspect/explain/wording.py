"""Gluon source for proposals, as an author would write it."""

from __future__ import annotations

from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.encodings import Encoding


def layout_assignment(name: str, layout: Encoding, shape: tuple[int, ...]) -> str:
    """`name = gl.BlockedLayout(…)`."""
    return f"{name} = {write_layout(layout, shape, 'gl.')}"


def runtime_helper(rank: int) -> tuple[str, ...]:
    """A function that derives such a layout from a tensor's strides, for code that gets either order."""
    if rank < 2:
        return ()
    return (
        "# or from the strides at run time, so that either memory order is coalesced:",
        "def layout_for(tensor, block, num_warps, lanes=32):",
        "    order = sorted(range(tensor.ndim), key=tensor.stride)",
        "    per_thread, threads, warps = ([1] * tensor.ndim for _ in range(3))",
        "    fast, slow = order[0], order[-1]",
        "    per_thread[fast] = max(1, 16 // tensor.element_size())",
        "    threads[fast] = min(lanes, block[fast] // per_thread[fast])",
        "    threads[slow] *= lanes // threads[fast]",
        "    warps[slow] = num_warps",
        "    return gl.BlockedLayout(per_thread, threads, warps, order)",
    )
