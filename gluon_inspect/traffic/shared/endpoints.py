"""The two ends of a conversion: what produced and what consumes the tensor, through elementwise operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gluon_inspect.errors import LayoutError
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import arith, operand, row_of, scf, tt, ttg, ttng
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import MemDescType, TensorType
from gluon_inspect.model.versions import Version
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.shared.endpoint_costs import (
    Endpoint,
    Seconds,
    anywhere,
    global_cost,
    only_in,
    ordered_reduction_cost,
    reduction_cost,
    shared_cost,
)
from gluon_inspect.traffic.shared.lowering import matrix_support
from gluon_inspect.traffic.shared.memory_layout import memory_layout, register_layout, tensor_bits

_BORN = (arith.CONSTANT, tt.MAKE_RANGE, tt.SPLAT)
_SPREAD = (tt.EXPAND_DIMS, tt.BROADCAST)
_CONTROL = (scf.FOR, scf.WHILE, scf.IF, scf.YIELD, scf.CONDITION)

View = Callable[[LinearLayout], LinearLayout]
"""How a layout of the conversion's tensor looks where an end uses the tensor."""


@dataclass(frozen=True, slots=True)
class CostedLaunch:
    """The kernel and launch under which producers and consumers are costed.

    `accesses` and `executions` are those under which costs are compared: assumed ones where the real are
    not known (`is_assumed`).
    """

    structure: Graph
    target: Target
    version: Version
    accesses: Mapping[int, GlobalAccess]
    executions: Callable[[Operation], int | None]
    is_assumed: bool


def endpoints_of(value: Value, conversion: Operation, launch: CostedLaunch) -> tuple[Endpoint, ...]:
    """Everything tied to a tensor's layout on one side of a conversion, without crossing it."""
    found: dict[Operation, Endpoint] = {}
    seen: set[int] = set()
    pending: list[tuple[Value, View]] = [(value, _same)]
    while pending:
        at, seen_as = pending.pop()
        if at.index in seen or not isinstance(at.type, TensorType):
            continue
        seen.add(at.index)
        for op in launch.structure.touching(at):
            if op is conversion or op in found:
                continue
            if _keeps_places(row_of(op)):
                pending.extend((other, seen_as) for other in (*op.operands, *op.results))
            elif row_of(op) is tt.TRANS:
                pending.append(_across(op, at, seen_as))
            else:
                found[op] = _end(op, at, seen_as, launch)
    return tuple(sorted(found.values(), key=lambda end: end.op.span.start))


def _keeps_places(row: OperationRow) -> bool:
    """Elementwise, and no arithmetic on pointers: where those lie the access decides that uses them."""
    return row.elementwise and row is not tt.ADDPTR


def _same(layout: LinearLayout) -> LinearLayout:
    return layout


def _across(op: Operation, at: Value, seen_as: View) -> tuple[Value, View]:
    """The other side of a transposition, and how a layout of the conversion's tensor looks there."""
    order = op.attributes.get("order")
    result, source = op.results[0], op.operands[0]
    rank = len(result.type.shape) if isinstance(result.type, TensorType) else 0
    forward = tuple(i for i in order if isinstance(i, int)) if isinstance(order, Sequence) else ()
    if len(forward) != rank:
        forward = tuple(reversed(range(rank)))
    # dimension i of the result is dimension order[i] of the source
    if at.index == source.index:
        return result, lambda layout: seen_as(layout).permuted(forward)
    backward = tuple(forward.index(dim) for dim in range(rank))
    return source, lambda layout: seen_as(layout).permuted(backward)


def _end(op: Operation, value: Value, seen_as: View, launch: CostedLaunch) -> Endpoint:
    try:
        cost = _cost(op, value, launch)
        if cost is None or cost is anywhere:
            return Endpoint(op, _name(op), cost)
        return Endpoint(op, _name(op), lambda layout: cost(seen_as(layout)))
    except LayoutError:
        return Endpoint(op, _name(op), None)


_NAMES = {
    tt.ADDPTR: "pointer arithmetic",
    tt.REDUCE: "a reduction",
    ttng.WARP_GROUP_DOT_WAIT: "an MMA",
    scf.IF: "a branch",
    **dict.fromkeys((scf.FOR, scf.WHILE, scf.CONDITION, scf.YIELD), "a loop"),
}
_NAMES_OF_KINDS = {
    K.GLOBAL_LOAD: "a load",
    K.GLOBAL_STORE: "a store",
    K.GLOBAL_ATOMIC: "an atomic",
    K.SCAN: "a scan",
    K.SHARED_LOAD: "a shared load",
    K.SHARED_STORE: "a shared store",
    K.SHARED_ALLOC: "a shared store",
    K.MMA: "an MMA",
    K.SHAPE: "a change of shape",
}


def _name(op: Operation) -> str:
    row = row_of(op)
    return _NAMES.get(row) or _NAMES_OF_KINDS.get(row.kind, op.name)


def _cost(op: Operation, value: Value, launch: CostedLaunch) -> Seconds | None:
    if not isinstance(value.type, TensorType):
        return None
    own = register_layout(value.type)
    if row_of(op) is ttg.CONVERT_LAYOUT or _can_be_made_anew(op, launch.structure):
        return anywhere
    row = row_of(op)
    if row.kind is K.MMA or row in (ttng.WARP_GROUP_DOT_WAIT, *_SPREAD, *_CONTROL):
        return only_in(own)
    runs = launch.executions(op)
    if runs is None:
        return None
    access = launch.accesses.get(op.span.start)
    if access is not None:
        return global_cost(access, runs, launch.target)
    if row is tt.REDUCE:
        # its result lies as its operand does
        return _reduction(op, runs, launch) if value in op.operands else only_in(own)
    return _shared(op, runs, launch)


def _can_be_made_anew(op: Operation, structure: Graph) -> bool:
    """Whether an operation's results come of constants, ranges and scalars alone, which any layout can hold."""
    pending, seen = [op], set[Operation]()
    while pending:
        at = pending.pop()
        if at in seen or row_of(at) in _BORN:
            continue
        seen.add(at)
        if row_of(at) not in _SPREAD and not _keeps_places(row_of(at)):
            return False
        makers = (structure.makers.get(v.index) for v in at.operands if isinstance(v.type, TensorType))
        for maker in makers:
            if maker is None:
                return False
            pending.append(maker)
    return True


def _reduction(op: Operation, runs: int, launch: CostedLaunch) -> Seconds | None:
    axis = op.attributes.get("axis")
    bits = [tensor_bits(v.type) for v in op.operands if isinstance(v.type, TensorType)]
    if not isinstance(axis, int):
        return None
    if op.attributes.get("reduction_ordering"):
        return ordered_reduction_cost(axis, bits, runs, launch.target)
    return reduction_cost(axis, bits, runs, launch.target, launch.version)


def _shared(op: Operation, runs: int, launch: CostedLaunch) -> Seconds | None:
    move = row_of(op).shared if row_of(op) in (ttg.LOCAL_LOAD, ttg.LOCAL_STORE) else None
    buffer = None if move is None else operand(op, move.buffer)
    if move is None or buffer is None or not isinstance(buffer.type, MemDescType):
        return None
    support = matrix_support(launch.target)
    memory = memory_layout(buffer.type, launch.version)
    matrix = support.store if move.is_store else support.load
    return shared_cost(memory, runs, launch.target, store=move.is_store, matrix=matrix)
