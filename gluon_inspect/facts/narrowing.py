"""What keeps an access narrower than its layout could be: each suspect put to the test.

Triton gives a thread as many neighbouring elements as the addresses are known to allow, so an argument, program id
or constant that is no multiple of 16 shows in the layout itself. A suspect is guilty if the width grows once all
suspects are taken to be multiples of 16, and shrinks again when that one is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import prod

from gluon_inspect.axis.analysis import AxisAnalysis, axis_of
from gluon_inspect.axis.information import AxisInfo
from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import arith, operand, row_of, tt
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.ir.slices import is_integral
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.mlir import DenseElements, Operation, Value
from gluon_inspect.model.types import PointerType, TensorType
from gluon_inspect.traffic.launch import entry_function

_MULTIPLE = 16
_MOST_SUSPECTS = 8
"""Each one is one more analysis of the kernel."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A value that keeps an access narrow: a kernel's argument, or another value in words."""

    words: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Bits a lane that an access has, and could have if these values were known to be multiples of 16."""

    bits: int
    possible_bits: int
    suspects: tuple[Suspect, ...]


def narrow_layouts(facts: Facts) -> Iterator[tuple[Access, tuple[Access, ...], Narrowing]]:
    """For each author's line: its access that runs most often of those that are narrow, and all of them."""
    lines: dict[tuple[str, int, Direction], list[tuple[Access, Narrowing]]] = {}
    for access in facts.accesses:
        found = narrowing(facts, access)
        if found is not None and access.location is not None:
            place = access.location.author
            lines.setdefault((place.file, place.line, access.direction), []).append((access, found))
    for group in lines.values():
        most, found = max(group, key=lambda each: each[0].executions or 0)
        yield most, tuple(access for access, _ in group), found


def narrowing(facts: Facts, access: Access) -> Narrowing | None:
    """What narrows an access whose layout the compiler chose; None where nothing does, or the author chose it."""
    found = _op_of(facts, access)
    graph, module = facts.graph, facts.module
    if found is None or graph is None or module is None or "ttir" not in facts.kernel.stages:
        return None
    if (access.vector_bits or 0) >= facts.target.max_vector_bytes * 8:
        return None
    function = entry_function(module, facts.kernel.name)
    if function is None or access.vector_bits is None or not access.element_bits:
        return None
    now = axis_of(module, function)
    values = list(_suspects(found, graph, now))[:_MOST_SUSPECTS]
    indices = {value.index for value in values}
    if not values or not _is_by_addresses(facts, found, access, now):
        return None
    most = _width(facts, found, access, AxisAnalysis(function, graph, indices))
    if most * access.element_bits <= access.vector_bits:
        return None
    guilty = [
        value for value in values
        if _width(facts, found, access, AxisAnalysis(function, graph, indices - {value.index})) < most
    ] if len(values) > 1 else values  # fmt: skip
    named = tuple(dict.fromkeys(_named(value, graph) for value in guilty or values))
    return Narrowing(access.vector_bits, most * access.element_bits, named)


def _op_of(facts: Facts, access: Access) -> Operation | None:
    if access.space is not Space.GLOBAL or access.is_bulk or access.is_gather or not access.shape:
        return None
    if access.direction is Direction.ATOMIC or facts.graph is None:
        return None
    return next((op for op in facts.graph.operations if op.span.start == access.result_of), None)


def _addressed(op: Operation) -> tuple[Value | None, Value | None]:
    """The addresses (or offsets) and the mask of an access."""
    lanes = row_of(op).lanes
    if lanes is None:
        return None, None
    return operand(op, lanes.offsets or lanes.address), operand(op, lanes.mask)


def _is_by_addresses(facts: Facts, op: Operation, access: Access, axis: AxisAnalysis) -> bool:
    """Whether the width is what addresses and mask allow: another one had other reasons."""
    vector = (access.vector_bits or 0) // (access.element_bits or 1)
    return vector == _width(facts, op, access, axis)


def _width(facts: Facts, op: Operation, access: Access, axis: AxisAnalysis) -> int:
    """Elements that a thread moves by one instruction where the layout follows the addresses."""
    address, mask = _addressed(op)
    size, warps = max(1, (access.element_bits or 8) // 8), facts.num_warps or 4
    if address is None or not isinstance(address.type, TensorType):
        return 1
    info, is_pointer = axis[address], isinstance(address.type.element, PointerType)
    dim = max(range(len(access.shape)), key=lambda each: info.contiguity[each])
    aligned = max(1, info.divisibility[dim] // (size if is_pointer else 1))
    held = prod(access.shape) // (warps * facts.target.warp_size)
    limits = [info.contiguity[dim], aligned, facts.target.max_vector_bytes // size, held]
    if mask is not None and isinstance(mask.type, TensorType):
        limits.append(_constancy(axis[mask], dim))
    return _power_below(max(1, min(limits)))


def _constancy(mask: AxisInfo, dim: int) -> int:
    return max(1, mask.constancy[dim])


def _power_below(number: int) -> int:
    return 1 << (number.bit_length() - 1)


def _suspects(op: Operation, graph: Graph, axis: AxisAnalysis) -> Iterator[Value]:
    """Scalars behind the addresses and the mask, and constants among them, that are no multiples of 16."""
    values = [value for value in _addressed(op) if value is not None]
    for value in graph.behind(values, lambda each: is_integral(each.type)):
        if min(axis[value].divisibility) < _MULTIPLE and _is_origin(value, graph):
            yield value


def _is_origin(value: Value, graph: Graph) -> bool:
    if graph.is_parameter(value):
        return True
    maker = graph.maker(value)
    if maker is None:
        return False
    row = row_of(maker)
    if row is arith.CONSTANT:
        return _is_factor(value, graph)
    return row is tt.GET_PROGRAM_ID or (row.reads_memory and not isinstance(value.type, TensorType))


def _is_factor(value: Value, graph: Graph) -> bool:
    """Constants that scale rows: what an index is added to, or shifted by, is part of an index."""
    users: Collection[Operation] = graph.users.get(value.index, ())
    through = [
        user for each in users if row_of(each) is tt.SPLAT for user in graph.users.get(each.results[0].index, ())
    ]
    return any(row_of(user) is arith.MULI for user in (*users, *through))


def _named(value: Value, graph: Graph) -> Suspect:
    maker = graph.maker(value)
    if maker is None:
        name = argument_name(value)
        return Suspect(name, name)
    if row_of(maker) is tt.GET_PROGRAM_ID:
        axis = maker.attributes.get("axis")
        shown = {"x": 0, "y": 1, "z": 2}.get(str(axis).rpartition(" ")[2], axis)
        return Suspect(f"program_id({shown})")
    if row_of(maker) is arith.CONSTANT:
        known = maker.attributes.get("value")
        number = known.values[0] if isinstance(known, DenseElements) and known.values else known
        return Suspect(f"the constant {number}")
    line = f" at line {maker.location.author.line}" if maker.location else ""
    return Suspect(f"the value loaded{line}")
