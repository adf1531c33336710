"""Asynchronous MMAs that are waited on before anything else is started."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.operations import row_of, ttg, ttng
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.model.mlir import Block, Module, Operation
from gluon_inspect.traffic.bulk.pipelines import streams

_TENSOR = (ttng.TC_GEN5_MMA, ttng.TC_GEN5_MMA_SCALED)
_ASYNCHRONOUS = (ttng.WARP_GROUP_DOT, *_TENSOR)
_LOADS = (K.BULK_LOAD, K.GLOBAL_TO_SHARED, K.GLOBAL_LOAD)


@dataclass(frozen=True, slots=True, eq=False)
class EagerWait:
    """An MMA in a loop and the wait right behind it; `loads`: copies to shared memory in the same loop body.

    `ahead`: copies of later iterations are under way meanwhile. `needed`: what follows in the iteration computes
    with the result. `through_registers`: those of the loads that wait for their data, so that no stage helps.
    """

    mma: Operation
    wait: Operation
    loads: int
    ahead: bool
    needed: bool
    through_registers: int = 0


def eager_waits(module: Module) -> tuple[EagerWait, ...]:
    """Every MMA of a loop that is waited on at once, in textual order.

    Where a loop inside multiplies too, the MMAs around it start and drain its pipeline, once a tile.
    """
    graph = graph_of(module)
    pipelined = {stream.loop for stream in streams(module) if stream.in_flight > stream.copies}
    return tuple(
        found
        for op in graph.operations
        if row_of(op).loop
        for region in op.regions[-1:]
        for block in region.blocks
        for found in _of_block(block, graph, op in pipelined)
    )


def _of_block(block: Block, graph: Graph, pipelined: bool) -> Iterator[EagerWait]:
    if any(_multiplies(op, graph) for op in block.operations if row_of(op).loop):
        return
    loads = sum(row_of(op).kind in _LOADS for op in block.operations)
    waiting = sum(row_of(op).kind is K.GLOBAL_LOAD for op in block.operations)
    for place, op in enumerate(block.operations):
        if row_of(op) not in _ASYNCHRONOUS:
            continue
        wait = _next_wait(op, block.operations[place + 1 :])
        if wait is not None:
            ahead = pipelined or any(_leaves_some(each) for each in block.operations[:place])
            yield EagerWait(op, wait, loads, ahead, _is_needed(op, wait, block), waiting)


def _leaves_some(op: Operation) -> bool:
    """Whether asynchronous copies stay under way after a wait."""
    pending = op.attributes.get("num")
    return row_of(op) is ttg.ASYNC_WAIT and isinstance(pending, int) and pending > 0


def _is_needed(mma: Operation, wait: Operation, block: Block) -> bool:
    results = {value.index for value in wait.results[:1]}
    accumulator = {value.index for value in mma.operands[2:3]}
    for op in block.operations[block.operations.index(wait) + 1 : -1]:
        used = {value.index for value in op.operands}
        grouped = row_of(mma) is ttng.WARP_GROUP_DOT
        if grouped and row_of(op) is not ttng.WARP_GROUP_DOT and used & results:
            return True
        if row_of(op) is ttng.TMEM_LOAD and used & accumulator:
            return True
    return False


def _multiplies(loop: Operation, graph: Graph) -> bool:
    return any(row_of(op) in _ASYNCHRONOUS for op in graph.within(loop))


def _next_wait(mma: Operation, following: tuple[Operation, ...]) -> Operation | None:
    signals = {value.index for value in mma.operands}
    for op in following:
        row = row_of(op)
        if row is ttng.TC_GEN5_COMMIT:
            signals |= {value.index for value in op.operands[:1]}
        elif row is ttng.WARP_GROUP_DOT_WAIT and row_of(mma) is ttng.WARP_GROUP_DOT:
            return op if op.attributes.get("pendings") == 0 else None
        elif row is ttng.WAIT_BARRIER and row_of(mma) in _TENSOR:
            return op if op.operands[0].index in signals else None
        elif not _is_idle(row):
            return None
    return None


def _is_idle(row: OperationRow) -> bool:
    """Whether it starts nothing that could run beside the MMA."""
    return row.elementwise or row.is_view or row.kind in (K.CONSTANT, K.FENCE)
