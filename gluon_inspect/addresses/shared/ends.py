"""The two ends of a conversion: what produced and what consumes the tensor, through elementwise operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gluon_inspect.addresses.global_access import GlobalAccess
from gluon_inspect.addresses.global_ops import operand
from gluon_inspect.addresses.shared.end_costs import (
    End,
    Seconds,
    anywhere,
    global_cost,
    only_in,
    reduction_cost,
    shared_cost,
)
from gluon_inspect.addresses.shared.lowering import Surroundings
from gluon_inspect.addresses.shared.memory_layout import memory_layout, register_layout, tensor_bits
from gluon_inspect.addresses.shared.structure import Structure
from gluon_inspect.errors import LayoutError
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.types import MemDescType, TensorType

_ELEMENTWISE = ("arith.", "math.", "tt.fp_to_fp", "tt.bitcast", "tt.int_to_ptr", "tt.ptr_to_int", "tt.clampf")
_FREE = frozenset({"arith.constant", "tt.make_range", "tt.splat", "tt.expand_dims", "tt.broadcast"})
_MMA = ("tt.dot", "ttng.warp_group_dot", "tt.dot_scaled", "ttng.warp_group_dot_wait")


@dataclass(frozen=True, slots=True)
class World:
    """What finding ends needs to know of the module around them."""

    structure: Structure
    around: Surroundings
    accesses: Mapping[int, GlobalAccess]
    executions: Callable[[Operation], int | None]


def ends_of(value: Value, conversion: Operation, world: World) -> tuple[End, ...]:
    """Everything tied to a tensor's layout on one side of a conversion, without crossing it."""
    found: dict[Operation, End] = {}
    seen: set[int] = set()
    pending = [value]
    while pending:
        at = pending.pop()
        if at.index in seen or not isinstance(at.type, TensorType):
            continue
        seen.add(at.index)
        for op in _around(at, world.structure):
            if op is conversion or op in found:
                continue
            if op.name.startswith(_ELEMENTWISE) and op.name not in _FREE:
                pending.extend((*op.operands, *op.results))
            else:
                found[op] = _end(op, at, world)
    return tuple(sorted(found.values(), key=lambda end: end.op.span.start))


def _around(value: Value, structure: Structure) -> list[Operation]:
    maker = structure.makers.get(value.index)
    return [*([maker] if maker is not None else []), *structure.users.get(value.index, ())]


def _end(op: Operation, value: Value, world: World) -> End:
    try:
        return End(op, _name(op), _cost(op, value, world))
    except LayoutError:
        return End(op, _name(op), None)


_NAMES = {
    "tt.load": "a load",
    "tt.store": "a store",
    "tt.reduce": "a reduction",
    "tt.scan": "a scan",
    "ttg.local_load": "a shared load",
    "ttg.local_store": "a shared store",
    "ttg.local_alloc": "a shared store",
} | dict.fromkeys(_MMA, "an MMA")


def _name(op: Operation) -> str:
    return _NAMES.get(op.name, op.name)


def _cost(op: Operation, value: Value, world: World) -> Seconds | None:
    if not isinstance(value.type, TensorType):
        return None
    own = register_layout(value.type)
    access = world.accesses.get(op.span.start)
    if access is not None:
        return global_cost(access, world.around.target)
    if op.name in _FREE or op.name == "ttg.convert_layout":
        return anywhere
    if op.name in _MMA or op.name.startswith("scf."):
        return only_in(own)
    runs = world.executions(op)
    if runs is None:
        return None
    if op.name == "tt.reduce" and value in op.operands:
        axis = op.attributes.get("axis")
        bits = [tensor_bits(v.type) for v in op.operands if isinstance(v.type, TensorType)]
        return reduction_cost(axis, bits, runs, world.around.target) if isinstance(axis, int) else None
    return _shared(op, runs, world)


def _shared(op: Operation, runs: int, world: World) -> Seconds | None:
    roles = {"ttg.local_load": ("src", False), "ttg.local_store": ("dst", True)}
    if op.name not in roles:
        return None
    role, store = roles[op.name]
    buffer = operand(op, role)
    if buffer is None or not isinstance(buffer.type, MemDescType):
        return None
    support = world.around.matrix
    memory = memory_layout(buffer.type, world.around.version)
    matrix = support.store if store else support.load
    return shared_cost(memory, runs, world.around.target, store=store, matrix=matrix)
