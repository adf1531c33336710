"""Asynchronous MMAs that are waited on before anything else is started."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gluon_inspect.model.mlir import Block, Module, Operation

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
    """An MMA in a loop and the wait right behind it; `loads`: copies to shared memory in the same loop body."""

    mma: Operation
    wait: Operation
    loads: int


def eager_waits(module: Module) -> tuple[EagerWait, ...]:
    """Every MMA of a loop that is waited on at once, in textual order.

    Where a loop inside multiplies too, the MMAs around it start and drain its pipeline, once a tile.
    """
    return tuple(
        found
        for op in module.walk()
        if op.name in _LOOPS
        for region in op.regions[-1:]
        for block in region.blocks
        for found in _of_block(block)
    )


def _of_block(block: Block) -> Iterator[EagerWait]:
    if any(_multiplies(op) for op in block.operations if op.name in _LOOPS):
        return
    loads = sum(op.name in _LOADS for op in block.operations)
    for place, op in enumerate(block.operations):
        if op.name != _GROUP_DOT and op.name not in _TENSOR:
            continue
        wait = _next_wait(op, block.operations[place + 1 :])
        if wait is not None:
            yield EagerWait(op, wait, loads)


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
