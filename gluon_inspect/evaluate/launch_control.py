"""Loops that end when cluster launch control finds no more work (clusterlaunchcontrol.try_cancel, sm_100).

A running cluster cancels one that has not started and does its work instead, until nothing is left to cancel.
Which cluster does whose work is decided at run time, but every program of the grid is worked on once: over
the launch the loop's body runs once for each program. So the body is evaluated as if every program started by
itself. How often code outside such loops runs is unknown: that depends on how many clusters start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import arith, row_of, scf, tt, ttng
from gluon_inspect.model.mlir import Operation, Value

STARTS_UNKNOWN = "how many programs start is decided at run time (cluster launch control)"
TILE_ASSUMED = "assumes that a program taken over works on the tile that it would have begun with"


@dataclass(frozen=True, slots=True, eq=False)
class ControlledLoop:
    """One such loop. `follows_program`: what its addresses depend on is the number of the program taken over,
    put in place of the program's own, so nothing is assumed."""

    op: Operation
    follows_program: bool


def controlled_loops(function: Operation, graph: Graph, wanted: frozenset[int]) -> tuple[ControlledLoop, ...]:
    """The loops of a function that cluster launch control ends. `wanted`: values that addresses depend on."""
    return tuple(
        ControlledLoop(op, _follows(op, wanted, graph))
        for op in graph.within(function)
        if row_of(op) is scf.WHILE and _is_controlled(op, graph)
    )


def outside(function: Operation, graph: Graph, loops: tuple[ControlledLoop, ...]) -> Iterator[Operation]:
    """The operations of a function that stand in none of its controlled loops."""
    inside = {inner.span.start for loop in loops for inner in graph.within(loop.op)}
    yield from (op for op in graph.within(function) if op.span.start not in inside)


def _is_controlled(op: Operation, graph: Graph) -> bool:
    """Whether it goes on as long as a work item was taken over, starting with the program's own."""
    for argument, initial, after in _carried(op):
        if argument.index != _condition(op).index:
            continue
        first, next_ = graph.maker(initial), graph.maker(after)
        always = first is not None and row_of(first) is arith.CONSTANT and bool(first.attributes.get("value"))
        return always and next_ is not None and row_of(next_) is ttng.CLC_IS_CANCELED
    return False


def _follows(op: Operation, wanted: frozenset[int], graph: Graph) -> bool:
    passed = _passed(op)
    for argument, initial, after in _carried(op):
        inner = passed.get(argument.index)
        if argument.index == _condition(op).index or inner is None or inner.index not in wanted:
            continue
        if after.index in (inner.index, initial.index):
            continue
        if not _alike(initial, after, graph):
            return False
    return True


def _alike(first: Value, after: Value, graph: Graph) -> bool:
    """Whether `after` is computed from the program taken over as `first` is from the program's own number."""
    if first.index == after.index:
        return True
    one, other = graph.maker(first), graph.maker(after)
    if one is None or other is None:
        return False
    if row_of(other) is ttng.CLC_GET_PROGRAM_ID:
        own = row_of(one) is tt.GET_PROGRAM_ID
        return own and one.attributes.get("axis", 0) == other.attributes.get("dim", 0)
    if one.name != other.name or not row_of(one).elementwise or one.attributes != other.attributes:
        return False
    pairs = zip(one.operands, other.operands, strict=True)
    return len(one.operands) > 0 and all(_alike(left, right, graph) for left, right in pairs)


def _condition(op: Operation) -> Value:
    return op.regions[0].blocks[0].operations[-1].operands[0]


def _passed(op: Operation) -> dict[int, Value]:
    """From the arguments of the loop's head to those of its body, where the head passes them on unchanged."""
    head = op.regions[0].blocks[0].operations[-1].operands[1:]
    body = op.regions[1].blocks[0].arguments
    return {value.index: argument for value, argument in zip(head, body, strict=False)}


def _carried(op: Operation) -> Iterator[tuple[Value, Value, Value]]:
    """Each value that the loop carries: the head's argument, the first value and the next one."""
    blocks = [block for region in op.regions for block in region.blocks]
    if len(blocks) != 2 or not all(block.operations for block in blocks):
        return
    head, body = blocks
    yield from zip(head.arguments, op.operands, body.operations[-1].operands, strict=False)
