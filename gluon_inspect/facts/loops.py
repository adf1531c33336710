"""The loops of a kernel with the trips that one launch makes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from gluon_inspect.ir.operations import row_of
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.loops import LoopRun, Moves
from gluon_inspect.model.mlir import Operation

_MOVES: Mapping[K, Moves] = {
    K.GLOBAL_LOAD: Moves.LOAD,
    K.GLOBAL_STORE: Moves.STORE,
    K.GLOBAL_ATOMIC: Moves.ATOMIC,
    K.GLOBAL_TO_SHARED: Moves.COPY,
    K.BULK_LOAD: Moves.BULK,
    K.MMA: Moves.MATRIX,
}


def loop_runs(
    function: Operation,
    executions: Callable[[Operation], int | None],
    longest: Mapping[int, int],
    accesses: Iterable[Access],
) -> tuple[LoopRun, ...]:
    """The outermost loops of a function, in order; `longest` by span start."""
    each = {
        access.result_of: sum(width.instructions for width in access.widths)
        for access in accesses
        if access.space is Space.GLOBAL and access.widths
    }

    def inside(op: Operation) -> tuple[tuple[LoopRun, ...], Counter[Moves]]:
        loops: list[LoopRun] = []
        moves = Counter[Moves]()
        for nested in (o for region in op.regions for block in region.blocks for o in block.operations):
            row = row_of(nested)
            if row.loop:
                loops.append(run_of(nested))
                continue
            if (kind := _MOVES.get(row.kind)) is not None:
                moves[kind] += each.get(nested.span.start, 1)
            deeper, more = inside(nested)
            loops.extend(deeper)
            moves += more
        return tuple(loops), moves

    def run_of(op: Operation) -> LoopRun:
        inner, moves = inside(op)
        entered, trips = executions(op), _trips_in_all(op, executions)
        mean = trips / entered if entered and trips is not None else None
        return LoopRun(op.location, mean, longest.get(op.span.start), dict(moves), inner)

    return inside(function)[0]


def _trips_in_all(op: Operation, executions: Callable[[Operation], int | None]) -> int | None:
    blocks = op.regions[-1].blocks if op.regions else ()
    return executions(blocks[0].operations[0]) if blocks and blocks[0].operations else None
