"""How far addresses move, in bytes, for one step of something behind them: a loop's iteration, a loaded index.

A derivative over the integer operations of the IR, with the launch's arguments put in. What is not linear, or
whose factor is not known, has no step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import LOOP_BOUNDS, Graph, carried
from gluon_inspect.ir.operations import arith, operand, row_of, scf, tt, ttg
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.model.access import Access
from gluon_inspect.model.mlir import DenseElements, Operation, Value
from gluon_inspect.model.types import PointerType, TensorType, element_bits

_SAME = (
    tt.SPLAT, tt.BROADCAST, tt.EXPAND_DIMS, tt.RESHAPE, arith.EXTSI, arith.EXTUI, arith.TRUNCI, arith.INDEX_CAST,
    ttg.CONVERT_LAYOUT,
)  # fmt: skip
_SUMS = {arith.ADDI: 1, arith.SUBI: -1}


@dataclass(frozen=True, slots=True)
class _Steps:
    """`moved`: by a value's index what it moves by itself in one step, None where that is not known.

    `later`: what a carried value is in the next iteration, where it is not itself and something more.
    """

    facts: Facts
    graph: Graph
    moved: Mapping[int, int | None]
    later: Mapping[int, Value] = field(default_factory=dict[int, Value])

    def of(self, value: Value, depth: int = 0) -> int | None:
        """Units (bytes for pointers) that a value moves by in one step; None where unknown."""
        if value.index in self.moved or depth > _DEEPEST:
            return self.moved.get(value.index)
        if value.index in self.later:
            return self.of(self.later[value.index], depth + 1)
        maker = self.graph.maker(value)
        if maker is not None and value.index not in self.graph.handed:
            return self._made(maker, depth + 1)
        behind = {self.of(each, depth + 1) for each in self.graph.sources(value)}
        return 0 if behind <= {0} else None

    def _made(self, op: Operation, depth: int) -> int | None:
        row = row_of(op)
        if row.reads_memory or not op.operands:
            return 0
        steps = [self.of(each, depth) for each in op.operands]
        if all(step == 0 for step in steps):
            return 0
        if None in steps:
            return None
        moved = [step for step in steps if step is not None]
        if row in _SAME:
            return moved[0]
        if row in _SUMS:
            return moved[0] + _SUMS[row] * moved[1]
        if row is tt.ADDPTR:
            return moved[0] + moved[1] * _pointee_bytes(op.operands[0])
        if row in (arith.DIVSI, arith.DIVUI) and moved[1] == 0:
            by = number(self.facts, op.operands[1])
            return moved[0] // by if by and moved[0] % by == 0 else None
        if row is arith.MULI and 0 in moved:
            by = number(self.facts, op.operands[moved.index(0)])
            return None if by is None else by * sum(moved)
        return None


_DEEPEST = 60


def number(facts: Facts, value: Value, depth: int = 0) -> int | None:
    """The integer that a value is in this launch, where constants and arguments alone decide it."""
    graph = facts.graph
    if graph is None or depth > _DEEPEST:
        return None
    if graph.is_parameter(value):
        known = facts.launch.arguments.get(argument_name(value))
        return known if isinstance(known, int) and not isinstance(known, bool) else None
    maker = graph.maker(value)
    if maker is None:
        return None
    row = row_of(maker)
    if row is arith.CONSTANT:
        held = maker.attributes.get("value")
        held = held.values[0] if isinstance(held, DenseElements) and held.is_splat else held
        return held if isinstance(held, int) and not isinstance(held, bool) else None
    if row in _SAME:
        return number(facts, maker.operands[0], depth + 1)
    if row in (arith.MULI, *_SUMS):
        left, right = (number(facts, each, depth + 1) for each in maker.operands[:2])
        if left is None or right is None:
            return None
        return left * right if row is arith.MULI else left + _SUMS[row] * right
    return None


def _pointee_bytes(pointer: Value) -> int:
    of = pointer.type.element if isinstance(pointer.type, TensorType) else pointer.type
    return (element_bits(of.pointee) or 8) // 8 if isinstance(of, PointerType) else 1


def trip_bytes(facts: Facts, access: Access) -> int | None:
    """Bytes that an access moves on by in one iteration of its innermost loop; None where unknown, or no loop."""
    op = operation_of(facts, access)
    loop = None if op is None or facts.graph is None else facts.graph.loop_of(op)
    address = None if op is None else _address(op)
    if facts.graph is None or loop is None or address is None or row_of(loop) is not scf.FOR:
        return None
    step, blocks = number(facts, loop.operands[LOOP_BOUNDS - 1]), loop.regions[-1].blocks
    moved: dict[int, int | None] = {blocks[0].arguments[0].index: step} if blocks else {}
    later: dict[int, Value] = {}
    for each in carried(loop):
        gained = _advance(facts, each.argument, each.yielded)
        if gained is None and each.yielded is not None:
            later[each.argument.index] = each.yielded
        else:
            moved[each.argument.index] = gained
    return _Steps(facts, facts.graph, moved, later).of(address)


def _advance(facts: Facts, argument: Value, yielded: Value | None) -> int | None:
    """What a carried value gains an iteration; None where it is not itself and something known."""
    maker = None if yielded is None or facts.graph is None else facts.graph.maker(yielded)
    if maker is None or yielded is None:
        return 0 if yielded is not None and yielded.index == argument.index else None
    if row_of(maker) not in (tt.ADDPTR, arith.ADDI) or argument.index not in (o.index for o in maker.operands):
        return None
    added = next(each for each in maker.operands if each.index != argument.index)
    by = number(facts, added)
    return None if by is None else by * (_pointee_bytes(argument) if row_of(maker) is tt.ADDPTR else 1)


def index_bytes(facts: Facts, access: Access) -> int | None:
    """Bytes between the addresses of two loaded indices that differ by one; None where not known."""
    op, graph = operation_of(facts, access), facts.graph
    address = None if op is None else _address(op)
    if graph is None or address is None:
        return None
    behind = graph.behind((address,), lambda value: isinstance(value.type, TensorType))
    loaded = [value for value in behind if (maker := graph.maker(value)) and row_of(maker).reads_memory]
    found = _Steps(facts, graph, dict.fromkeys((value.index for value in loaded), 1)).of(address)
    return None if found is None else abs(found)


def operation_of(facts: Facts, access: Access) -> Operation | None:
    """The operation of a record."""
    if facts.graph is None:
        return None
    return next((op for op in facts.graph.operations if op.span.start == access.result_of), None)


def _address(op: Operation) -> Value | None:
    lanes = row_of(op).lanes
    return None if lanes is None else operand(op, lanes.address)
