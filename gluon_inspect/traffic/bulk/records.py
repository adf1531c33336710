"""From what was counted of bulk copies to access records: one of global, one of shared memory each."""

from __future__ import annotations

from math import prod

from gluon_inspect.evaluate.launch_control import TILE_ASSUMED
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.traffic.bulk.box import Boxes
from gluon_inspect.traffic.bulk.copies import BulkAccess
from gluon_inspect.traffic.launch import Evaluated

_NO_TDM = "how many instructions a TDM copy becomes is not modelled"
_HINT = "a hint: the hardware may leave it out"
_NO_BOX = "a shared layout that TMA does not write: instructions unknown"


def bulk_records(evaluated: Evaluated) -> tuple[Access, ...]:
    """Two records for each bulk copy, global memory first, in textual order; a prefetch has the first only."""
    records: list[Access] = []
    for access in (each for _, copies in sorted(evaluated.bulk.items()) for each in copies):
        cut = access.boxes
        records.append(_global(access, cut, evaluated, f"b{len(records)}"))
        if not access.row.prefetches:
            records.append(_shared(access, cut, evaluated, f"b{len(records)}"))
    return tuple(records)


def _global(access: BulkAccess, cut: Boxes | None, evaluated: Evaluated, name: str) -> Access:
    tally = access.tally
    known = cut is not None and not tally.unknown
    each = evaluated.scale * access.reads
    executions = _executions(access, evaluated)
    traffic = tally.traffic
    unique = tally.bytes_unique() if known else None
    return Access(
        id=name,
        op=access.op.name,
        space=Space.GLOBAL,
        direction=access.row.direction,
        location=access.op.location,
        memory_layout=_memory(access),
        shape=() if cut is None else cut.tile,
        element_bits=access.element_bytes * 8,
        transactions=_transactions(access, cut, executions),
        lines=round(traffic.lines * each) if known else None,
        sectors=round(traffic.sectors * each) if known else None,
        sectors_ideal=round(traffic.sectors_ideal * each) if known else None,
        bytes_requested=round(traffic.bytes * each) if known else None,
        bytes_unique=None if unique is None else round(unique * evaluated.scale),
        executions=executions,
        confidence=_confidence(access, evaluated) if known else Confidence.UNKNOWN,
        model=_status(access),
        reason=tally.unknown or _assumption(access, evaluated) or _why_not(access, cut),
        result_of=access.op.span.start,
    )


def _shared(access: BulkAccess, cut: Boxes | None, evaluated: Evaluated, name: str) -> Access:
    executions = _executions(access, evaluated)
    known = cut is not None and executions is not None
    written = (
        executions * prod(cut.share) * cut.ctas * access.element_bytes if cut and executions is not None else None
    )
    return Access(
        id=name,
        op=access.op.name,
        space=Space.SHARED,
        direction=Direction.COPY,
        location=access.op.location,
        memory_layout=_memory(access),
        shape=() if cut is None else cut.tile,
        element_bits=access.element_bytes * 8,
        transactions=_transactions(access, cut, executions),
        bytes_requested=written,
        executions=executions,
        confidence=_confidence(access, evaluated, addresses=False) if known else Confidence.UNKNOWN,
        model=_status(access),
        reason=_why_not(access, cut) if known else access.tally.executions_unknown or access.tally.unknown,
        result_of=access.op.span.start,
    )


def _executions(access: BulkAccess, evaluated: Evaluated) -> int | None:
    if access.tally.executions_unknown:
        return None
    return round(access.tally.executions * evaluated.scale)


def _transactions(access: BulkAccess, cut: Boxes | None, executions: int | None) -> int | None:
    """Issued instructions; a multicast is issued once for all that receive it."""
    if cut is None or executions is None or not cut.known or access.target.backend != "cuda":
        return None
    copies = 1 if access.multicast and access.row.is_load else cut.copies
    return executions * cut.pieces * copies


def _assumption(access: BulkAccess, evaluated: Evaluated) -> str:
    if access.row.prefetches:
        return _HINT
    return TILE_ASSUMED if access.op.span.start in evaluated.on_assumed_tiles else ""


def _why_not(access: BulkAccess, cut: Boxes | None) -> str:
    if access.target.backend != "cuda":
        return _NO_TDM
    return "" if cut is None or cut.known else _NO_BOX


def _confidence(access: BulkAccess, evaluated: Evaluated, *, addresses: bool = True) -> Confidence:
    """`addresses`: whether the number rests on where the boxes lie."""
    if (
        evaluated.assumed
        or access.row.prefetches
        or (addresses and access.op.span.start in evaluated.on_assumed_tiles)
    ):
        return Confidence.ASSUMED
    programs = evaluated.programs
    return Confidence.EXACT if programs.evaluated == programs.total else Confidence.SAMPLED


def _status(access: BulkAccess) -> ModelStatus:
    return ModelStatus.DOCUMENTED if access.target.backend == "cuda" else ModelStatus.UNVALIDATED


def _memory(access: BulkAccess) -> str:
    of = access.buffer or access.type
    if of is None or of.encoding is None:
        return ""
    return write_layout(of.encoding, of.shape)
