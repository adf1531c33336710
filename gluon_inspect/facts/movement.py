"""All memory traffic of one evaluated launch, and the operations with an effect that no model covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import row_of, tt
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.model.access import Access
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.target import Target
from gluon_inspect.model.versions import Version
from gluon_inspect.traffic.bulk.records import bulk_records
from gluon_inspect.traffic.cluster import cluster_accesses
from gluon_inspect.traffic.global_memory.records import global_records
from gluon_inspect.traffic.launch import Evaluated
from gluon_inspect.traffic.shared.operations import SharedOperation
from gluon_inspect.traffic.shared.records import shared_accesses
from gluon_inspect.traffic.tensor.records import tensor_accesses

MOVING = frozenset(
    {
        K.MMA,
        K.GLOBAL_LOAD,
        K.GLOBAL_STORE,
        K.GLOBAL_ATOMIC,
        K.GLOBAL_TO_SHARED,
        K.SHARED_TO_GLOBAL,
        K.BULK_LOAD,
        K.BULK_STORE,
        K.BULK_PREFETCH,
        K.SHARED_LOAD,
        K.SHARED_STORE,
        K.SHARED_ATOMIC,
        K.TENSOR_LOAD,
        K.TENSOR_STORE,
        K.TENSOR_COPY,
        K.ASSEMBLY,
    }
)
"""Kinds of operations that move data through memory or occupy the matrix unit."""

IN_REGISTERS = (tt.DOT, tt.DOT_SCALED)
"""MMAs whose operands and results are registers: they touch no memory."""


def memory_traffic(
    module: Module,
    target: Target,
    evaluated: Evaluated,
    assumed: Evaluated | None,
    version: Version,
    operations: Iterable[SharedOperation],
) -> tuple[Access, ...]:
    """Records of all memories, global ones first. `operations`: those that touch shared memory."""
    runs = evaluated.executions
    shared = shared_accesses(operations, target)
    tensor = tensor_accesses(module, runs)
    across = cluster_accesses(module, runs, version) if target.backend == "cuda" else ()
    return (*global_records(evaluated, assumed), *bulk_records(evaluated), *shared, *across, *tensor)


def moving_operations(module: Module) -> tuple[Operation, ...]:
    """The operations of a module that move data or occupy the matrix unit, in textual order."""
    return tuple(op for op in graph_of(module).operations if _moves(op))


def unmodelled(module: Module, accesses: Iterable[Access]) -> Mapping[str, int]:
    """Operations with an effect on memory that have no record, by name."""
    seen = {access.result_of for access in accesses}
    return Counter(op.name for op in moving_operations(module) if op.span.start not in seen)


def _moves(op: Operation) -> bool:
    row = row_of(op)
    if row.kind not in MOVING or row in IN_REGISTERS:
        return False
    return row.kind is not K.ASSEMBLY or not op.attributes.get("pure")
