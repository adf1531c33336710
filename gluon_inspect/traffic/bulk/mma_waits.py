"""Asynchronous MMAs that are waited on before anything else is started."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gluon_inspect.model.mlir import Block, Module, Operation
from gluon_inspect.traffic.bulk.pipelines import streams

_GROUP_DOT = "ttng.warp_group_dot"
_GROUP_WAIT = "ttng.warp_group_dot_wait"
_TENSOR = ("ttng.tc_gen5_mma", "ttng.tc_gen5_mma_scaled")
_COMMIT = "ttng.tc_gen5_commit"
_BARRIER_WAIT = "ttng.wait_barrier"
_LOOPS = ("scf.for", "scf.while")
_IDLE = ("arith.", "ttg.memdesc_", "ttng.fence", "math.")
"""They start nothing that could run beside the MMA."""


@dataclass(frozen=True, slots=True, eq=False)
class EagerWait:
    """An MMA in a loop and the wait right behind it; `loads`: copies to shared memory in the same loop body.

    `ahead`: copies of later iterations are under way meanwhile. `needed`: what follows in the iteration computes
    with the result.
    """

    mma: Operation
    wait: Operation
    loads: int
    ahead: bool
    needed: bool


def eager_waits(module: Module) -> tuple[EagerWait, ...]:
    """Every MMA of a loop that is waited on at once, in textual order.

    Where a loop inside multiplies too, the MMAs around it start and drain its pipeline, once a tile.
    """
    pipelined = {stream.loop for stream in streams(module) if stream.in_flight > stream.copies}
    return tuple(
        found
        for op in module.walk()
        if op.name in _LOOPS
        for region in op.regions[-1:]
        for block in region.blocks
        for found in _of_block(block, op in pipelined)
    )


def _of_block(block: Block, pipelined: bool) -> Iterator[EagerWait]:
    if any(_multiplies(op) for op in block.operations if op.name in _LOOPS):
        return
    loads = sum(op.name in _LOADS for op in block.operations)
    for place, op in enumerate(block.operations):
        if op.name != _GROUP_DOT and op.name not in _TENSOR:
            continue
        wait = _next_wait(op, block.operations[place + 1 :])
        if wait is not None:
            ahead = pipelined or any(_leaves_some(each) for each in block.operations[:place])
            yield EagerWait(op, wait, loads, ahead, _is_needed(op, wait, block))


def _leaves_some(op: Operation) -> bool:
    """Whether asynchronous copies stay under way after a wait."""
    pending = op.attributes.get("num")
    return op.name == "ttg.async_wait" and isinstance(pending, int) and pending > 0


def _is_needed(mma: Operation, wait: Operation, block: Block) -> bool:
    results = {value.index for value in wait.results[:1]}
    accumulator = {value.index for value in mma.operands[2:3]}
    for op in block.operations[block.operations.index(wait) + 1 : -1]:
        used = {value.index for value in op.operands}
        if mma.name == _GROUP_DOT and op.name != _GROUP_DOT and used & results:
            return True
        if op.name == "ttng.tmem_load" and used & accumulator:
            return True
    return False


def _multiplies(loop: Operation) -> bool:
    return any(op.name == _GROUP_DOT or op.name in _TENSOR for op in loop.walk())


_LOADS = frozenset(
    {"ttng.async_tma_copy_global_to_local", "ttng.async_tma_gather", "ttg.async_copy_global_to_local", "tt.load"}
)


def _next_wait(mma: Operation, following: tuple[Operation, ...]) -> Operation | None:
    signals = {value.index for value in mma.operands}
    for op in following:
        if op.name == _COMMIT:
            signals |= {value.index for value in op.operands[:1]}
        elif op.name == _GROUP_WAIT and mma.name == _GROUP_DOT:
            return op if op.attributes.get("pendings") == 0 else None
        elif op.name == _BARRIER_WAIT and mma.name in _TENSOR:
            return op if op.operands[0].index in signals else None
        elif not op.name.startswith(_IDLE):
            return None
    return None
