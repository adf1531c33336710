"""From lowered operations and how often they run to the records of shared memory traffic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gluon_inspect.ir.operations import row_of, ttng
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Access, Direction, Space, Width
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.traffic.shared.amd.transfer import lds_status
from gluon_inspect.traffic.shared.operations import SharedOperation
from gluon_inspect.traffic.shared.steps import OperandRead, Step, Totals, add_up

_VALIDATED = frozenset({"cuda:90"})


def shared_accesses(operations: Iterable[SharedOperation], target: Target) -> tuple[Access, ...]:
    """One record for each operation x direction that touches shared memory, in their order.

    Counts are for the whole launch. Reductions, scans and conversions have a store and a load record of their own.
    """
    records: list[Access] = []
    for operation in operations:
        for store in (True, False):
            record = _record(operation, store, f"s{len(records)}", target)
            if record is not None:
                records.append(record)
    return tuple(records)


def _record(operation: SharedOperation, store: bool, name: str, target: Target) -> Access | None:
    steps = operation.as_run.of(store=store)
    is_copy = row_of(operation.op).kind in (K.GLOBAL_TO_SHARED, K.SHARED_TO_GLOBAL)
    unknown = not operation.as_run.known and not operation.as_run.steps and store is not _loads(operation.op)
    if not steps and not unknown:
        return None
    totals = add_up(steps) if steps else Totals()
    known = bool(steps) and operation.executions is not None and totals.wavefronts is not None
    count = operation.executions or 0
    tensor, memory = _types(operation.op)
    bits = None if tensor is None else element_bits(tensor.type)
    return Access(
        id=name,
        op=operation.op.name,
        space=Space.SHARED,
        direction=Direction.COPY if is_copy else Direction.STORE if store else Direction.LOAD,
        location=operation.op.location,
        layout=_written(tensor),
        memory_layout=_written(memory) or ("conversion scratch" if operation.as_run.scratch_bytes else ""),
        shape=() if tensor is None else tensor.shape,
        element_bits=bits,
        vector_bits=totals.vector_bits,
        widths=_widths(steps),
        requests=_times(totals.requests, count) if known else None,
        wavefronts=_times(totals.wavefronts, count) if known else None,
        wavefronts_ideal=_times(totals.wavefronts_ideal, count) if known else None,
        bytes_requested=_times(totals.bytes_moved, count) if known else None,
        executions=operation.executions,
        confidence=_confidence(operation, known),
        model=_status(operation, target),
        reason=operation.as_run.reason or ("" if known else "how often it runs is not known"),
        result_of=operation.op.span.start,
    )


def _loads(op: Operation) -> bool:
    """Whether an operation that is not understood reads shared memory; all others get a store record."""
    row = row_of(op)
    return row is ttng.WARP_GROUP_DOT or (row.kind is K.SHARED_LOAD and row is not ttng.CLC_LOAD_RESULT)


def _times(value: float | None, count: int) -> int | None:
    return None if value is None else round(value * count)


def _confidence(operation: SharedOperation, known: bool) -> Confidence:
    if not known:
        return Confidence.UNKNOWN
    return Confidence.ASSUMED if operation.as_run.assumed else Confidence.EXACT


def _status(operation: SharedOperation, target: Target) -> ModelStatus:
    if target.backend == "hip":
        return lds_status(operation.as_run)
    if target.name not in _VALIDATED:
        return ModelStatus.DOCUMENTED
    return ModelStatus.UNVALIDATED if operation.as_run.assumed else ModelStatus.VALIDATED


@dataclass(frozen=True, slots=True)
class _Typed:
    type: TensorType | MemDescType

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape


def _types(op: Operation) -> tuple[_Typed | None, _Typed | None]:
    """The tensor and the buffer that an operation moves between, where it names them."""
    of = [value.type for value in (*op.operands, *op.results)]
    tensors = [t for t in of if isinstance(t, TensorType)]
    buffers = [t for t in of if isinstance(t, MemDescType)]
    return (_Typed(tensors[0]) if tensors else None), (_Typed(buffers[0]) if buffers else None)


def _written(of: _Typed | None) -> str:
    encoding = None if of is None else of.type.encoding
    return "" if of is None or encoding is None else write_layout(encoding, of.shape)


def _widths(steps: tuple[Step, ...]) -> tuple[Width, ...]:
    counts: dict[int, int] = {}
    for step in steps:
        if not isinstance(step.transfer, OperandRead):
            bits = step.transfer.bits
            counts[bits] = counts.get(bits, 0) + step.transfer.instructions * step.times
    return tuple(Width(bits, count) for bits, count in sorted(counts.items()))
