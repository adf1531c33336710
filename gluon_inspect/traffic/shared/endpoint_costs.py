"""What one end of a conversion would cost in another layout, in seconds of the whole launch.

Two rates only, so that both sides of a comparison are measured alike: bytes of sectors at the DRAM rate;
cache lines that requests look up, shared-memory wavefronts and shuffles at one a clock and SM (CUDA C++
programming guide, arithmetic instructions: 32 shuffles a clock and SM).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.flat import flat
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.target import Target
from gluon_inspect.model.versions import Version
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.shared.amd.transfer import lds_transfer
from gluon_inspect.traffic.shared.lanes import AxisView
from gluon_inspect.traffic.shared.lowering import reduction_lowering
from gluon_inspect.traffic.shared.memory_layout import MemoryLayout
from gluon_inspect.traffic.shared.steps import Lowering, Step, add_up
from gluon_inspect.traffic.shared.transfer import choose_transfer

Seconds = Callable[[LinearLayout], float | None]
"""The cost in a layout; None where the end cannot have that layout."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An operation that produces or consumes a tensor in some layout; `cost` None: not known at all."""

    op: Operation
    what: str
    cost: Seconds | None


def wavefront_seconds(target: Target, wavefronts: float) -> float:
    """Time of shared-memory work spread over all SMs."""
    return wavefronts / (target.sms * target.clock_hz)


def lowering_seconds(target: Target, lowering: Lowering, executions: int) -> float | None:
    """Time of an operation's shared-memory side; None where its wavefronts are not known."""
    wavefronts = add_up(lowering.steps).wavefronts
    return None if wavefronts is None else wavefront_seconds(target, wavefronts * executions)


def global_cost(access: GlobalAccess, executions: int, target: Target) -> Seconds | None:
    """A global access, by its first evaluated program; None where its addresses are not known."""
    if access.tally.sample is None or access.tally.unknown or access.tensor is None:
        return None

    def seconds(layout: LinearLayout) -> float | None:
        placed = access.placed_in(layout)
        if placed is None:
            return None
        moved = placed.traffic.sectors * executions * target.sector_bytes
        lookups = placed.traffic.lines * executions
        return moved / target.dram_bytes_per_second + wavefront_seconds(target, lookups)

    return seconds


def shared_cost(memory: MemoryLayout, executions: int, target: Target, *, store: bool, matrix: bool) -> Seconds:
    """A local_load or local_store."""

    def seconds(layout: LinearLayout) -> float | None:
        try:
            offsets = replace(flat(layout, memory.shape), block=()).through(memory.columns)
        except LayoutError:
            return None
        transfer = choose_transfer(offsets, memory.bits, store, matrix, memory.padding)
        if target.backend == "hip":
            transfer = lds_transfer(transfer, target, store=store)
        return lowering_seconds(target, Lowering((Step(store, transfer),)), executions)

    return seconds


def reduction_cost(
    axis: int, element_bits: list[int], executions: int, target: Target, version: Version
) -> Seconds:
    """A reduction: shuffles within warps and shared memory across them, as that version of Triton lowers it."""

    def seconds(layout: LinearLayout) -> float | None:
        view = AxisView(layout, axis)
        kept = 1 << sum(1 for b in layout.bases.get("register", ()) if any(b) and not b[axis])
        shuffles = kept * len(view.axis_bits("lane")) * layout.size("warp") * len(element_bits)
        lowering = reduction_lowering(layout, None, axis, element_bits, target, version)
        wavefronts = add_up(lowering.steps).wavefronts or 0
        return wavefront_seconds(target, (shuffles + wavefronts) * executions)

    return seconds


def ordered_reduction_cost(axis: int, element_bits: list[int], executions: int, target: Target) -> Seconds:
    """A reduction whose order is fixed to a tree over neighbours (`reduction_ordering`, not in upstream Triton).

    Level by level from the axis's lowest bit: a level between registers is free, one between lanes takes a
    shuffle and one between warps a store and a load for each value that is left.
    """

    def seconds(layout: LinearLayout) -> float | None:
        kept = 1 << sum(1 for b in layout.bases.get("register", ()) if any(b) and not b[axis])
        places = {
            b[axis]: name for name in ("register", "lane", "warp") for b in layout.bases.get(name, ()) if b[axis]
        }
        values = kept << sum(1 for name in places.values() if name == "register")
        turns = 0
        for _, name in sorted(places.items()):
            if name == "register":
                values //= 2
            else:
                turns += values if name == "lane" else 2 * values
        return wavefront_seconds(target, turns * layout.size("warp") * len(element_bits) * executions)

    return seconds


def only_in(layout: LinearLayout) -> Seconds:
    """An end that takes exactly one layout: a matrix unit, a loop's carried value."""
    return lambda other: 0.0 if other == layout else None


def anywhere(layout: LinearLayout) -> float | None:
    """An end that costs nothing in any layout: constants, ranges, splats."""
    del layout
    return 0.0
