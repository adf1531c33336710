"""tt.scan across warps, as Triton 3.6 lowers it.

Rules: triton-lang/triton 3.6, lib/Conversion/TritonGPUToLLVM/ScanOpToLLVM.cpp. For every run of
elements that a thread holds side by side along the axis, the last lane stores its warp's total; then
every thread loads the totals of all warps. One thread row alone makes these loads contiguous, and the
compiler joins them into 16-byte ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.traffic.shared.lanes import AxisView, register_order
from gluon_inspect.traffic.shared.nvidia.banks import Mask
from gluon_inspect.traffic.shared.steps import Lowering, Step
from gluon_inspect.traffic.shared.transfer import Transfer

_VECTOR_BITS = 128


def lower_scan(source: LinearLayout, axis: int, element_bits: Sequence[int]) -> Lowering:
    """The shared-memory steps of a scan of several operands along `axis`."""
    view = AxisView(source, axis)
    axis_warps = view.axis_size("warp")
    if axis_warps == 1:
        return Lowering(())
    order = register_order(source)
    run = _contiguous(source, axis)
    registers = 1 << sum(1 for basis in source.bases.get("register", ()) if any(basis))
    chunks = registers // run
    parallel = view.other_size("lane") * view.other_size("warp")
    row = view.other_index("lane", order)[None, :] + (
        view.other_index("warp", order)[:, None] * view.other_size("lane")
    )
    steps: list[Step] = []
    for bits in (max(bits, 8) for bits in element_bits):
        chunk_base = np.arange(chunks, dtype=np.int64)[:, None, None] * parallel * axis_warps
        stored = chunk_base + row + view.axis_index("warp")[None, :, None] * parallel
        last = view.axis_index("lane") == view.axis_size("lane") - 1
        active = view.representative("warp")[:, None] & (view.representative("lane") & last)
        mask: Mask = np.broadcast_to(active, stored.shape)
        steps.append(Step(True, Transfer("STS", bits, stored * bits // 8, mask)))
        steps.append(Step(False, _totals(row, parallel, chunks * axis_warps, bits)))
    elements = parallel * axis_warps * chunks
    scratch = elements * sum(max(bits, 8) for bits in element_bits) // 8
    return Lowering(tuple(steps), scratch, barriers=1)


def _contiguous(layout: LinearLayout, axis: int) -> int:
    """Elements that a thread holds side by side along the axis."""
    run = 1
    for basis in sorted(layout.bases.get("register", ()), key=lambda b: b[axis]):
        alone = basis[axis] == run and not any(x for dim, x in enumerate(basis) if dim != axis)
        if alone:
            run *= 2
    return run


def _totals(
    row: np.ndarray[tuple[int, ...], np.dtype[np.int64]], parallel: int, count: int, bits: int
) -> Transfer:
    joined = min(_VECTOR_BITS // bits, count) if parallel == 1 else 1
    steps = np.arange(0, count, joined, dtype=np.int64)
    elements = row[None, :, :] + steps[:, None, None] * parallel
    return Transfer("LDS", bits * joined, elements * bits // 8)
