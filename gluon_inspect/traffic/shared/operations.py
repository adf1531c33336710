"""The operations of a module that touch shared memory, as they are lowered and as they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.traffic.shared.lowering import LoweringContext, lower
from gluon_inspect.traffic.shared.nvidia.last_store import Found, directly_feeds, in_one_thread, only_feeds, sunk
from gluon_inspect.traffic.shared.steps import Lowering

Executions = Callable[[Operation], int | None]
"""How often an operation runs in the whole launch, programs x trips; None: unknown."""


@dataclass(frozen=True, slots=True)
class SharedOperation:
    """One operation's shared-memory side: as it is lowered, and as the assembler lets it run.

    `executions` in all CTAs; None where unknown.
    """

    op: Operation
    lowering: Lowering
    as_run: Lowering
    executions: int | None

    @property
    def is_free(self) -> bool:
        """Whether it does not touch shared memory after all (a conversion within registers)."""
        return self.lowering.known and not self.lowering.steps


def shared_operations(
    module: Module, structure: Graph, context: LoweringContext, last: Found | None, executions: Executions
) -> tuple[SharedOperation, ...]:
    """Every operation that may touch shared memory, in textual order. `last`: the kernel's last store."""
    found: list[SharedOperation] = []
    for op in graph_of(module).operations:
        lowering = lower(op, context)
        if lowering is None:
            continue
        as_run, count = lowering, executions(op)
        if last is not None:
            as_run = _before(last, op, structure, lowering)
        total = None if count is None else count * structure.ctas
        found.append(SharedOperation(op, lowering, as_run, total))
    return tuple(found)


def _before(last: Found, op: Operation, structure: Graph, lowering: Lowering) -> Lowering:
    """A lowering as it runs: where it feeds only the last store, its last load runs where that has a lane."""
    feeds = directly_feeds if last.store is None else only_feeds
    final = max((i for i, step in enumerate(lowering.steps) if not step.store), default=-1)
    if final < 0 or not feeds(op, last.op, structure):
        return lowering
    load = lowering.steps[final]
    moved = in_one_thread(load) if last.store is None else sunk(load, last.store)
    return replace(lowering, steps=(*lowering.steps[:final], *moved, *lowering.steps[final + 1 :]))
