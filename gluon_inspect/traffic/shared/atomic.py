"""The used result of an atomic: threads that hold copies get it from the one that did the work.

Rules: triton-lang/triton 3.6, lib/Conversion/TritonGPUToLLVM/Utility.cpp (`finalizeTensorAtomicResults`);
widths and counts agree with what Triton 3.6 compiled, wavefronts were not counted on hardware.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from gluon_inspect.layouts.flat import flat
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.traffic.placement import first_holders
from gluon_inspect.traffic.shared.nvidia.banks import Addresses, Mask
from gluon_inspect.traffic.shared.steps import Lowering, Step
from gluon_inspect.traffic.shared.transfer import Transfer, vector_transfer


def share_scalar(bits: int, warps: int, lanes: int) -> Lowering:
    """One thread stores a scalar of `bits`, all load it."""
    everywhere: Addresses = np.zeros((1, warps, lanes), dtype=np.int64)
    first: Mask = np.zeros(everywhere.shape, dtype=bool)
    first[0, 0, 0] = True
    store, load = Transfer("STS", bits, everywhere, first), Transfer("LDS", bits, everywhere)
    return Lowering((Step(True, store), Step(False, load)), bits // 8, 1)


def read_scalar(bits: int, warps: int, lanes: int) -> Lowering:
    """Every thread loads the same scalar of `bits`."""
    everywhere: Addresses = np.zeros((1, warps, lanes), dtype=np.int64)
    return Lowering((Step(False, Transfer("LDS", bits, everywhere)),))


def share_tensor(layout: LinearLayout, bits: int) -> Lowering:
    """First holders store their elements of `bits` in column-major order, all load theirs; nothing without copies.

    Registers that hold copies are stored as often as they are held, and loaded once.
    """
    if not any(layout.free_variables(name) for name in ("lane", "warp")):
        return Lowering()
    offsets = replace(flat(layout), block=())
    load, once = (vector_transfer(offsets, bits, store) for store in (False, True))
    addresses = np.tile(once.addresses, (layout.copies("register"), 1, 1))
    holders = first_holders(layout, "warp")[:, None] & first_holders(layout, "lane")[None, :]
    store = replace(once, addresses=addresses, active=np.broadcast_to(holders, addresses.shape), outer=())
    steps = (Step(True, store), Step(False, load))
    reason = "widths are as compiled; wavefronts of an atomic's copies were not counted on hardware"
    return Lowering(steps, prod(layout.shape) * bits // 8, 1, assumed=True, reason=reason)
