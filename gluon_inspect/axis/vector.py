"""Vector width: how many neighbouring elements a thread moves by one instruction, and what limits it.

As Triton decides it (lib/Analysis/AxisInfo.cpp: getContiguity, getAlignment, getMaskAlignment, and
LoadStoreOpToLLVM.cpp): the smallest of the layout's contiguous registers, the address's contiguity and
divisibility, the mask's constancy, and the widest instruction.
"""

from __future__ import annotations

from gluon_inspect.axis.information import AxisInfo
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.access import VectorLimit


def fastest_dim(layout: LinearLayout) -> int:
    """The dimension that the first moving register basis walks; without one, the last dimension."""
    for basis in layout.bases.get("register", ()):
        for dim, step in enumerate(basis):
            if step:
                return dim
    return len(layout.shape) - 1


def contiguous_registers(layout: LinearLayout, dim: int) -> int:
    """Elements that one thread's first registers hold in a row along `dim`."""
    run = 1
    for basis in layout.bases.get("register", ()):
        if basis != tuple(run if d == dim else 0 for d in range(len(layout.shape))):
            break
        run *= 2
    return run


def pointer_limits(
    layout: LinearLayout, address: AxisInfo, element_bytes: int, widest_bytes: int, *, is_pointer: bool = True
) -> tuple[VectorLimit, ...]:
    """The bounds on an access through `address`, in elements.

    `is_pointer`: divisibility counts bytes (a pointer) and not elements (a buffer operation's offsets).
    """
    dim = fastest_dim(layout)
    divisibility = address.divisibility[dim]
    aligned = max(divisibility // element_bytes, 1) if is_pointer else divisibility
    return (
        VectorLimit("layout", contiguous_registers(layout, dim), f"registers of a thread along dim {dim}"),
        VectorLimit("contiguity", address.contiguity[dim], f"addresses in a row along dim {dim}"),
        VectorLimit("divisibility", aligned, f"addresses known to be multiples of {_bytes(divisibility)}"),
        VectorLimit("hardware", max(widest_bytes // element_bytes, 1), f"{widest_bytes} bytes an instruction"),
    )


def mask_limit(layout: LinearLayout, mask: AxisInfo) -> VectorLimit:
    """The bound by the mask: its elements are known to be equal only in runs this long."""
    dim = fastest_dim(layout)
    return VectorLimit("mask", max(mask.constancy[dim], 1), f"mask constant in runs of {mask.constancy[dim]}")


def width(limits: tuple[VectorLimit, ...]) -> int:
    """Elements an instruction: the smallest of the bounds."""
    return max(1, min(limit.elements for limit in limits))


def _bytes(divisibility: int) -> str:
    return "any size" if divisibility >= 1 << 40 else str(divisibility)
