"""From a module and how often its operations run to the records of its shared memory traffic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gluon_inspect.ir.operations import (
    row_of,
    ttng,
)
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.partitions import homes
from gluon_inspect.ir.structure import Structure
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Access, Direction, Space, Width
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.traffic.shared.amd.transfer import lds_status
from gluon_inspect.traffic.shared.banks import Addresses
from gluon_inspect.traffic.shared.last_store import find_last_store, only_feeds
from gluon_inspect.traffic.shared.lowering import Surroundings, lower
from gluon_inspect.traffic.shared.memory_layout import NEWEST, Version
from gluon_inspect.traffic.shared.sinking import LastStore, sunk
from gluon_inspect.traffic.shared.steps import Lowering, OperandRead, Step
from gluon_inspect.traffic.shared.tally import Totals, add_up

Executions = Callable[[Operation], int | None]
"""How often an operation runs in the whole launch, programs x trips; None: unknown."""
_VALIDATED = frozenset({"cuda:90"})


@dataclass(frozen=True, slots=True)
class GlobalSide:
    """What the evaluation of global memory knows that shared memory needs, by operations' span starts.

    `vectors`: elements a lane an instruction; `addresses`: byte addresses of all elements of one
    program's tensor, row-major; `requests`: of the whole launch. What is missing is unknown.
    """

    vectors: Mapping[int, int]
    addresses: Mapping[int, Addresses]
    requests: Mapping[int, int]


NOTHING_GLOBAL = GlobalSide({}, {}, {})


@dataclass(frozen=True, slots=True)
class SharedSide:
    """One operation's shared-memory side, as lowered and as it runs."""

    op: Operation
    lowering: Lowering
    executions: int | None


def shared_sides(
    module: Module,
    target: Target,
    executions: Executions,
    *,
    version: Version = NEWEST,
    beyond: GlobalSide = NOTHING_GLOBAL,
) -> tuple[SharedSide, ...]:
    """Every operation with a shared-memory side, in textual order."""
    structure = Structure.of(module)
    around = Surroundings(
        target, version, beyond.vectors, beyond.addresses, structure.warps, frozenset(structure.users)
    )
    # what sinks behind the last store was learnt from NVIDIA's assembler
    last = find_last_store(module, structure, beyond, executions) if target.backend == "cuda" else None
    parts = homes(module)
    sides: list[SharedSide] = []
    for op in module.walk():
        home = parts.get(op.span.start)
        lowering = lower(op, around if home is None else replace(around, warps=home.warps))
        if lowering is None or not (lowering.steps or not lowering.known):
            continue
        count = executions(op)
        if last is not None and only_feeds(op, last.op, structure):
            lowering = _as_it_runs(lowering, last.store)
        sides.append(SharedSide(op, lowering, None if count is None else count * structure.ctas))
    return tuple(sides)


def _as_it_runs(lowering: Lowering, last: LastStore) -> Lowering:
    steps = list[Step]()
    final = max((i for i, step in enumerate(lowering.steps) if not step.store), default=-1)
    for position, step in enumerate(lowering.steps):
        steps += sunk(step, last) if position == final else (step,)
    return Lowering(
        tuple(steps),
        lowering.scratch_bytes,
        lowering.barriers,
        lowering.known,
        lowering.reason,
        lowering.assumed,
    )


def shared_accesses(
    module: Module,
    target: Target,
    executions: Executions,
    *,
    version: Version = NEWEST,
    beyond: GlobalSide = NOTHING_GLOBAL,
) -> tuple[Access, ...]:
    """One record for each operation x direction that touches shared memory, in textual order.

    Counts are for the whole launch. `version` of Triton: lowering differs. Reductions, scans and
    conversions have a store and a load record of their own.
    """
    records: list[Access] = []
    for side in shared_sides(module, target, executions, version=version, beyond=beyond):
        for store in (True, False):
            record = _record(side, store, f"s{len(records)}", target)
            if record is not None:
                records.append(record)
    return tuple(records)


def _record(side: SharedSide, store: bool, name: str, target: Target) -> Access | None:
    steps = side.lowering.of(store=store)
    is_copy = row_of(side.op).kind in (K.GLOBAL_TO_SHARED, K.SHARED_TO_GLOBAL)
    unknown = not side.lowering.known and not side.lowering.steps and store is not _loads(side.op)
    if not steps and not unknown:
        return None
    totals = add_up(steps) if steps else Totals()
    known = bool(steps) and side.executions is not None and totals.wavefronts is not None
    count = side.executions or 0
    tensor, memory = _types(side.op)
    bits = None if tensor is None else element_bits(tensor.type)
    return Access(
        id=name,
        op=side.op.name,
        space=Space.SHARED,
        direction=Direction.COPY if is_copy else Direction.STORE if store else Direction.LOAD,
        location=side.op.location,
        layout=_written(tensor),
        memory_layout=_written(memory) or ("conversion scratch" if side.lowering.scratch_bytes else ""),
        shape=() if tensor is None else tensor.shape,
        element_bits=bits,
        vector_bits=totals.vector_bits,
        widths=_widths(steps),
        requests=_times(totals.requests, count) if known else None,
        wavefronts=_times(totals.wavefronts, count) if known else None,
        wavefronts_ideal=_times(totals.wavefronts_ideal, count) if known else None,
        bytes_requested=_times(totals.bytes_moved, count) if known else None,
        executions=side.executions,
        confidence=_confidence(side, known),
        model=_status(side, target),
        reason=side.lowering.reason or ("" if known else "how often it runs is not known"),
        result_of=side.op.span.start,
    )


def _loads(op: Operation) -> bool:
    """Whether an operation that is not understood reads shared memory; all others get a store record."""
    row = row_of(op)
    return row is ttng.WARP_GROUP_DOT or (row.kind is K.SHARED_LOAD and row is not ttng.CLC_LOAD_RESULT)


def _times(value: float | None, count: int) -> int | None:
    return None if value is None else round(value * count)


def _confidence(side: SharedSide, known: bool) -> Confidence:
    if not known:
        return Confidence.UNKNOWN
    return Confidence.ASSUMED if side.lowering.assumed else Confidence.EXACT


def _status(side: SharedSide, target: Target) -> ModelStatus:
    if target.backend == "hip":
        return lds_status(side.lowering)
    if target.name not in _VALIDATED:
        return ModelStatus.DOCUMENTED
    return ModelStatus.UNVALIDATED if side.lowering.assumed else ModelStatus.VALIDATED


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
