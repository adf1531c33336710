"""tt.reduce across warps, as Triton 3.6 lowers it.

Rules: triton-lang/triton 3.6, lib/Conversion/TritonGPUToLLVM/ReduceOpToLLVM.cpp. Each warp stores
its partial results, the CTA's first threads load and combine them with shuffles and store again, and
every thread loads the results that it holds. The scratch keeps partials of one result side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from gluon_inspect.layouts.flat import FlatLayout
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.traffic.placement import span
from gluon_inspect.traffic.shared.lanes import AxisView, register_order
from gluon_inspect.traffic.shared.nvidia.banks import Mask
from gluon_inspect.traffic.shared.steps import Lowering, Step
from gluon_inspect.traffic.shared.transfer import Transfer, vector_transfer

_LANES = 32


def lower_reduction(
    source: LinearLayout, result: LinearLayout | None, axis: int, element_bits: Sequence[int], warps: int
) -> Lowering:
    """The shared-memory steps of a reduction of several operands along `axis` within a CTA.

    `result` is the results' layout, None for a scalar; `element_bits` of each operand.
    """
    view = AxisView(source, axis)
    partials = view.axis_size("warp")
    if partials == 1:
        return Lowering(())
    shape = [*source.shape]
    shape[axis] = partials
    strides = _strides(shape, axis, register_order(source))
    steps: list[Step] = []
    for bits in (max(bits, 8) for bits in element_bits):
        steps += _operand(view, result, shape, strides, bits, warps)
    scratch = prod(shape) * sum(max(bits, 8) for bits in element_bits) // 8
    ordered = [step for index in range(4) for step in steps[index::4]]
    return Lowering(tuple(ordered), scratch, barriers=2)


def _strides(shape: Sequence[int], axis: int, order: Sequence[int]) -> list[int]:
    """Elements between neighbours along each dimension: the axis fastest, then by `order`."""
    strides, step = [0] * len(shape), 1
    for dim in (axis, *(d for d in order if d != axis)):
        strides[dim] = step
        step *= shape[dim]
    return strides


def _operand(
    view: AxisView,
    result: LinearLayout | None,
    shape: Sequence[int],
    strides: Sequence[int],
    bits: int,
    warps: int,
) -> list[Step]:
    elements = prod(shape)
    rounds = max(elements // (warps * _LANES), 1)
    threads = np.arange(rounds * warps * _LANES, dtype=np.int64).reshape(rounds, warps, _LANES)
    needed = threads < elements
    writers = needed & (threads % shape[view.axis] == 0)
    partial = threads * bits // 8
    return [
        Step(True, _store_partials(view, strides, bits)),
        Step(False, Transfer("LDS", bits, partial, needed)),
        Step(True, Transfer("STS", bits, partial, writers)),
        Step(False, _load_results(view, result, strides, bits, warps)),
    ]


def _store_partials(view: AxisView, strides: Sequence[int], bits: int) -> Transfer:
    """Each warp's partial results, by the first lane along the axis, copies left out."""
    layout = view.layout

    def places(name: str) -> list[int]:
        return [
            sum(x * s for dim, (x, s) in enumerate(zip(basis, strides, strict=True)) if dim != view.axis)
            for basis in layout.bases.get(name, ())
        ]

    registers = span([place for place in places("register") if place])
    warp = span(places("warp")) + view.axis_index("warp")
    lane = span(places("lane"))
    active = view.representative("warp")[:, None] & (view.representative("lane") & (view.axis_index("lane") == 0))
    elements = registers[:, None, None] + warp[None, :, None] + lane[None, None, :]
    shape: tuple[int, int, int] = elements.shape
    mask: Mask = np.broadcast_to(active, shape)
    return Transfer("STS", bits, elements * bits // 8, mask)


def _load_results(
    view: AxisView, result: LinearLayout | None, strides: Sequence[int], bits: int, warps: int
) -> Transfer:
    if result is None:
        return Transfer("LDS", bits, np.zeros((1, warps, _LANES), dtype=np.int64))
    kept = [stride for dim, stride in enumerate(strides) if dim != view.axis]

    def places(name: str) -> tuple[int, ...]:
        return tuple(sum(x * s for x, s in zip(basis, kept, strict=True)) for basis in result.bases.get(name, ()))

    offsets = FlatLayout(places("register"), places("lane"), places("warp"), (), 0)
    return vector_transfer(offsets, bits, store=False)
