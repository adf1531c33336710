"""tt.gather: within warps by shuffles, else the whole source through shared memory.

Rules: triton-lang/triton, lib/Conversion/TritonGPUToLLVM/GatherOpToLLVM.cpp. The stores follow the
source's layout, row-major; what the loads touch depends on the indices.
"""

from __future__ import annotations

from gluon_inspect.layouts.flat import FlatLayout
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.traffic.shared.steps import Lowering, Step
from gluon_inspect.traffic.shared.transfer import vector_transfer


def lower_gather(source: LinearLayout, indices: LinearLayout, axis: int, element_bits: int) -> Lowering:
    """The shared-memory steps of a gather along `axis`."""
    if stays_in_warps(source, indices, axis):
        return Lowering()
    offsets = FlatLayout(
        source.flat_bases("register"),
        source.flat_bases("lane"),
        source.flat_bases("warp"),
        (),
        (source.elements - 1).bit_length(),
    )
    store = vector_transfer(offsets, element_bits, store=True)
    reason = "what a gather loads depends on its indices"
    return Lowering((Step(True, store),), source.elements * element_bits // 8, 1, known=False, reason=reason)


def stays_in_warps(source: LinearLayout, indices: LinearLayout, axis: int) -> bool:
    """Every column along the axis lies in one warp and in the same lanes of both tensors."""
    outer = ("block", "warp")
    if any(basis[axis] for layout in (source, indices) for name in outer for basis in layout.bases.get(name, ())):
        return False

    def others(layout: LinearLayout, name: str) -> list[tuple[int, ...]]:
        return [(*basis[:axis], *basis[axis + 1 :]) for basis in layout.bases.get(name, ())]

    return all(others(source, name) == others(indices, name) for name in (*outer, "lane"))
