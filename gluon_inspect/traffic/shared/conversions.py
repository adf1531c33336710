"""Every change of layout, explicit or hidden in another operation, and whether it pays."""

from __future__ import annotations

from collections.abc import Iterable

from gluon_inspect.errors import LayoutError
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import operand, row_of, tt, ttg
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Conversion, ConversionKind
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.encodings import DotOperandEncoding
from gluon_inspect.model.mlir import Module, Operation, Value
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.traffic.shared.endpoints import CostedLaunch
from gluon_inspect.traffic.shared.lowering import kind_of
from gluon_inspect.traffic.shared.operations import Executions, SharedOperation
from gluon_inspect.traffic.shared.profitability import Profitability, profitability
from gluon_inspect.traffic.shared.steps import add_up

_COMBINED = "the elements that it combines lie in several warps"
_COPIED = "only the first of several holders did the work; the others get its result"
_HIDDEN = {
    tt.REDUCE: _COMBINED,
    tt.SCAN: _COMBINED,
    tt.GATHER: "the elements that it picks lie in several warps",
    tt.ATOMIC_RMW: _COPIED,
    tt.ATOMIC_CAS: _COPIED,
}
_OPERAND = "the matrix unit takes this operand from registers, in a layout of its own"


def conversions(
    module: Module, operations: Iterable[SharedOperation], launch: CostedLaunch, executions: Executions
) -> tuple[Conversion, ...]:
    """Explicit conversions and those hidden in other operations, in textual order.

    `operations`: those that touch shared memory. `launch`: under which costs are compared.
    """
    sides = {operation.op: operation for operation in operations if not operation.is_free}
    records: list[Conversion] = []
    for op in graph_of(module).operations:
        side, name = sides.get(op), f"c{len(records)}"
        if row_of(op) is ttg.CONVERT_LAYOUT:
            records.append(_explicit(op, side, launch, name, executions(op)))
        elif side is not None and (row_of(op) in _HIDDEN or _is_dot_operand(op)):
            records.append(_hidden(op, side, launch, name, executions(op)))
    return tuple(records)


def _is_dot_operand(op: Operation) -> bool:
    of = op.results[0].type if row_of(op) is ttg.LOCAL_LOAD else None
    return isinstance(of, TensorType) and isinstance(of.encoding, DotOperandEncoding)


def _written(value: Value | None) -> str:
    of = None if value is None else value.type
    if not isinstance(of, TensorType | MemDescType) or of.encoding is None:
        return "" if of is None else "scalar"
    return write_layout(of.encoding, of.shape)


def _kind(op: Operation, launch: CostedLaunch) -> ConversionKind | None:
    try:
        return kind_of(op, launch.version)
    except LayoutError:
        return None


def _explicit(
    op: Operation, side: SharedOperation | None, launch: CostedLaunch, name: str, runs: int | None
) -> Conversion:
    kind = _kind(op, launch)
    source = operand(op, "src")
    judged = profitability(op, kind, None if side is None else add_up(side.as_run.steps), launch)
    found = kind or ConversionKind.SHARED
    return _record(op, side, launch, name, runs, found, _written(source), judged, kind is not None)


def _hidden(op: Operation, side: SharedOperation, launch: CostedLaunch, name: str, runs: int | None) -> Conversion:
    source = op.operands[0]
    judged = Profitability(None, _HIDDEN.get(row_of(op), _OPERAND))
    known = side.as_run.known
    return _record(op, side, launch, name, runs, ConversionKind.SHARED, _written(source), judged, known)


def _record(
    op: Operation,
    side: SharedOperation | None,
    launch: CostedLaunch,
    name: str,
    runs: int | None,
    kind: ConversionKind,
    source: str,
    judged: Profitability,
    known: bool,
) -> Conversion:
    totals = None if side is None else add_up(side.as_run.steps)
    count = None if side is None else side.executions
    free = side is None
    return Conversion(
        id=name,
        op=op.name,
        location=op.location,
        source=source,
        target=_written(op.results[0]),
        kind=kind,
        scratch_bytes=0 if side is None else side.as_run.scratch_bytes,
        wavefronts=0 if free else _scaled(None if totals is None else totals.wavefronts, count),
        wavefronts_ideal=0 if free else _scaled(None if totals is None else totals.wavefronts_ideal, count),
        executions=runs,
        barriers=0 if side is None else side.as_run.barriers,
        loop_depth=launch.structure.depths.get(op, 0),
        pays=judged.pays,
        why=judged.why,
        confidence=_confidence(side, known),
        model=ModelStatus.VALIDATED if launch.target.name == "cuda:90" else ModelStatus.DOCUMENTED,
        result_of=op.span.start,
        bytes_moved=_bytes(op.results[0]),
        loop_invariant=launch.structure.is_invariant(op),
        agreed_layout={"source": source, "target": _written(op.results[0])}.get(judged.agreed, ""),
    )


def _scaled(value: float | None, count: int | None) -> int | None:
    return None if value is None or count is None else round(value * count)


def _confidence(side: SharedOperation | None, known: bool) -> Confidence:
    if not known or (side is not None and (not side.as_run.known or side.executions is None)):
        return Confidence.UNKNOWN
    return Confidence.ASSUMED if side is not None and side.as_run.assumed else Confidence.EXACT


def _bytes(value: Value) -> int | None:
    of, bits = value.type, element_bits(value.type)
    if not isinstance(of, TensorType) or bits is None:
        return None
    elements = 1
    for size in of.shape:
        elements *= size
    return elements * max(bits, 8) // 8
