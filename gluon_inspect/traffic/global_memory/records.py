"""From what was counted to the access records of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gluon_inspect.axis.weak_arguments import is_gather, weak_arguments
from gluon_inspect.evaluate.launch_control import TILE_ASSUMED
from gluon_inspect.evaluate.values import Ints
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Access, Direction, Estimate, Locality, Space, Width
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.types import PointerType, TensorType
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.global_memory.geometry import geometry
from gluon_inspect.traffic.global_memory.meetings import distinct
from gluon_inspect.traffic.launch import Evaluated

_VALIDATED = frozenset({"cuda:90"})
"""Targets whose global counts were checked against hardware counters (an H200)."""


_ASSUMED = "assumed"
"""How the source of a number begins that no document gives."""


def global_records(evaluated: Evaluated, assumed: Evaluated | None = None) -> tuple[Access, ...]:
    """One record for each operation that touches global memory lane by lane, in textual order.

    `assumed`: the same function under assumed arguments, which explains accesses that cannot be counted.
    """
    ordered = sorted(evaluated.accesses.items())

    def stand_in(start: int) -> GlobalAccess | None:
        return None if assumed is None else assumed.accesses.get(start)

    met = _met_shares([access for _, access in ordered], evaluated)
    return tuple(
        _record(access, stand_in(start), f"g{number}", evaluated, met.get(start, 0.0))
        for number, (start, access) in enumerate(ordered)
    )


_MOST_SECTORS = 1 << 18


def _met_shares(accesses: list[GlobalAccess], evaluated: Evaluated) -> Mapping[int, float]:
    """By span start: the share of its sectors that a load finds touched by loads before it, in the first programs.

    Only loads that run as often as each other are compared, so that the first instances of both are those of
    the same programs.
    """
    loads = [a for a in accesses if a.direction in (Direction.LOAD, Direction.COPY) and a.tally.executions]
    shares: dict[int, float] = {}
    seen: dict[int, Ints] = {}
    for access in loads:
        times, meetings = access.tally.executions, access.tally.meetings
        each = max(1, -(-times // max(1, evaluated.programs.evaluated or 1)))
        whole = meetings.instances_kept // each * each
        sector_bytes = access.context.target.sector_bytes
        touched = meetings.first_sectors(min(whole, 8 * each) or meetings.instances_kept, sector_bytes)
        if not touched.size or touched.size > _MOST_SECTORS:
            continue
        before = seen.get(times)
        if before is not None:
            shares[access.op.span.start] = float(np.isin(touched, before, assume_unique=True).mean())
            touched = distinct((before, touched))
        seen[times] = touched
    return shares


def _record(
    access: GlobalAccess,
    stand_in: GlobalAccess | None,
    name: str,
    evaluated: Evaluated,
    met: float,
) -> Access:
    tally, bits = access.tally, access.element_bits
    seen = access if stand_in is None or not tally.unknown else stand_in
    vector = access.vector
    known = not tally.unknown
    confidence = _confidence(access, evaluated)

    def scaled(value: int) -> int | None:
        return round(value * evaluated.scale) if known else None

    traffic = tally.traffic
    moved = traffic.lanes * vector * tally.element_bytes
    return Access(
        id=name,
        op=access.op.name,
        space=Space.GLOBAL,
        direction=access.direction,
        location=access.op.location,
        layout=_layout(access),
        memory_layout=_strides(seen),
        shape=access.tensor.shape if access.tensor else (),
        element_bits=bits,
        vector_bits=None if bits is None else vector * bits,
        widths=_widths(access),
        requests=scaled(traffic.requests),
        lines=scaled(traffic.lines),
        sectors=scaled(traffic.sectors),
        sectors_ideal=scaled(traffic.sectors_ideal),
        bytes_requested=scaled(moved),
        bytes_unique=scaled(tally.bytes_unique()),
        executions=scaled(tally.executions),
        warp_instructions=_executed(access, evaluated),
        confidence=confidence,
        model=_status(access),
        reason=tally.unknown or _assumption(access, evaluated),
        geometry=geometry(seen),
        vector_limits=access.limits,
        result_of=access.op.span.start,
        estimate=_estimate(seen) if seen is not access else None,
        locality=_locality(access, evaluated, met) if known else None,
        weak_arguments=_blame(access, evaluated),
        weak_mask_arguments=_mask_blame(access, evaluated),
        is_gather=is_gather(access.address, evaluated.graph),
    )


def _executed(access: GlobalAccess, evaluated: Evaluated) -> int | None:
    """Executed warp instructions: equal to `inst_executed` of all recorded launches where not None."""
    tally = access.tally
    each = access.context.warps if access.placement is None else access.placement.requests
    count = tally.executions * each
    if tally.unknown or (_may_be_jumped(access) and count != tally.traffic.requests):
        return None
    return round(count * evaluated.scale)


def _may_be_jumped(access: GlobalAccess) -> bool:
    """Whether a warp without an active lane may branch around the instruction.

    NVIDIA: stores. AMD: every masked access (its lanes are switched off by a branch) but buffer operations,
    whose masked lanes get an offset out of range (Triton's BufferOpsEmitter).
    """
    if access.context.target.backend == "hip":
        return not access.row.offsets and (access.row.once or access.mask is not None)
    return access.row.once and access.direction is not Direction.COPY


def _locality(access: GlobalAccess, evaluated: Evaluated, met: float) -> Locality | None:
    sector_bytes = access.context.target.sector_bytes
    executions = access.tally.executions * evaluated.scale
    found = access.tally.meetings.locality(executions, sector_bytes)
    return None if found is None else replace(found, met_share=met)


def _estimate(access: GlobalAccess) -> Estimate | None:
    traffic = access.tally.traffic
    if access.tally.unknown or not traffic.requests:
        return None
    each = 1 / traffic.requests
    return Estimate(traffic.sectors * each, traffic.sectors_ideal * each, traffic.lines * each)


def _confidence(access: GlobalAccess, evaluated: Evaluated) -> Confidence:
    if access.tally.unknown:
        return Confidence.UNKNOWN
    if evaluated.assumed or access.op.span.start in evaluated.on_assumed_tiles:
        return Confidence.ASSUMED
    programs = evaluated.programs
    return Confidence.EXACT if programs.evaluated == programs.total else Confidence.SAMPLED


def _assumption(access: GlobalAccess, evaluated: Evaluated) -> str:
    return TILE_ASSUMED if access.op.span.start in evaluated.on_assumed_tiles else ""


def _status(access: GlobalAccess) -> ModelStatus:
    if access.direction is Direction.ATOMIC:
        return ModelStatus.UNVALIDATED
    target = access.context.target
    if target.sources.get("sector_bytes", "").startswith(_ASSUMED):
        return ModelStatus.UNVALIDATED
    return ModelStatus.VALIDATED if target.name in _VALIDATED else ModelStatus.DOCUMENTED


def _layout(access: GlobalAccess) -> str:
    encoding = access.encoding
    return write_layout(encoding, access.tensor.shape) if encoding and access.tensor else ""


def _strides(access: GlobalAccess) -> str:
    found = geometry(access)
    if found is None:
        return ""
    shown = ("varying" if stride is None else f"{stride} B" for stride in found.dim_strides_bytes)
    return f"strides ({', '.join(shown)})"


def _widths(access: GlobalAccess) -> tuple[Width, ...]:
    if access.element_bits is None:
        return ()
    if access.placement is None:
        return () if access.tensor is not None else (Width(access.element_bits, 1),)
    return (Width(access.vector * access.element_bits, access.placement.first.shape[1]),)


def _blame(access: GlobalAccess, evaluated: Evaluated) -> tuple[str, ...]:
    """Arguments whose divisibility is what narrows the address."""
    limits = {limit.kind: limit.elements for limit in access.limits}
    if not limits or not _is_narrowed(access, "divisibility"):
        return ()
    possible = min(limits["layout"], limits["hardware"])
    size = access.tally.element_bytes
    wanted = possible * size if isinstance(access.address.type, PointerType | TensorType) else possible
    return weak_arguments(access.address, evaluated.graph, evaluated.axis, min(wanted, 16))


def _mask_blame(access: GlobalAccess, evaluated: Evaluated) -> tuple[str, ...]:
    """Arguments whose divisibility is what cuts the mask into short runs."""
    if access.mask is None or not _is_narrowed(access, "mask"):
        return ()
    limits = {limit.kind: limit.elements for limit in access.limits}
    possible = min(limits["layout"], limits["hardware"])
    return weak_arguments(access.mask, evaluated.graph, evaluated.axis, possible)


def _is_narrowed(access: GlobalAccess, kind: str) -> bool:
    """Whether one bound, by its kind, is what keeps the width below layout and hardware."""
    limits = {limit.kind: limit.elements for limit in access.limits}
    return limits.get(kind) == access.vector < min(limits.get("layout", 1), limits.get("hardware", 1))
