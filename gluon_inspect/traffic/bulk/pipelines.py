"""How many bulk copies of a loop are under way at once: by the buffers there are, and by when each is waited for.

Copies that a loop waits for itself are started so many ahead: those before the loop, and the one of the
iteration where it stands before the wait. Copies that another partition waits for are held back by their
buffers alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gluon_inspect.ir.buffers import Touch, Use, slots
from gluon_inspect.ir.buffers import touches as touches_in
from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.operations import operand, row_of
from gluon_inspect.ir.partitions import Partition, homes
from gluon_inspect.model.mlir import Module, Operation


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The copies of one loop into one allocation. `first` is one of them, `slots` the tiles that fit.

    `ahead`: copies started before the loop. `in_flight`: how many may be under way at once. `waits_itself`:
    the loop that copies also waits. `innermost`: no loop stands inside the loop.
    """

    loop: Operation
    first: Operation
    copies: int
    slots: int
    ahead: int
    in_flight: int
    waits_itself: bool
    innermost: bool

    @property
    def is_serial(self) -> bool:
        """Whether each copy begins only after everything that reads the one before."""
        return self.innermost and self.slots <= self.copies and self.in_flight <= self.copies


def streams(module: Module) -> tuple[Stream, ...]:
    """One for each loop and allocation that it fills by bulk copies, in textual order."""
    graph = graph_of(module)
    touches = tuple(touches_in(graph))
    parts = homes(module)
    grouped: dict[tuple[Operation, Operation], list[Touch]] = {}
    for touch in touches:
        loop = graph.loop_of(touch.op)
        if _is_copy(touch) and loop is not None:
            grouped.setdefault((loop, touch.root), []).append(touch)
    return tuple(_stream(loop, group, touches, graph, parts) for (loop, _), group in grouped.items())


def _is_copy(touch: Touch) -> bool:
    copy = row_of(touch.op).bulk
    return copy is not None and copy.is_load and touch.use is Use.WRITE


def _stream(
    loop: Operation,
    group: list[Touch],
    touches: tuple[Touch, ...],
    graph: Graph,
    parts: Mapping[int, Partition],
) -> Stream:
    first = group[0]
    tiles = slots(graph, first.value)
    home = parts.get(first.op.span.start)
    ahead = sum(
        _is_copy(each)
        and each.root is first.root
        and each.op.span.start < loop.span.start
        and parts.get(each.op.span.start) is home
        for each in touches
    )
    waits = [each.op for each in _waits(first.op, touches, graph) if graph.is_inside(each.op, loop)]
    early = sum(each.op.span.start < waits[0].span.start for each in group) if waits else 0
    held = min(tiles, ahead + max(early, 1)) if waits else tiles
    nested = any(op is not loop and row_of(op).loop for op in graph.within(loop))
    return Stream(loop, first.op, len(group), tiles, ahead, held, bool(waits), not nested)


def _waits(copy: Operation, touches: tuple[Touch, ...], graph: Graph) -> Iterator[Touch]:
    """The waits for the barrier that a copy arrives at."""
    barrier = operand(copy, "barrier")
    root = None if barrier is None else graph.root(barrier)
    if root is not None:
        yield from (each for each in touches if each.use is Use.WAIT and each.root is root)
