"""What each bulk copy (TMA, TDM) does: one instruction moves a box between global and shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.model.access import Direction
from gluon_inspect.model.mlir import Operation


@dataclass(frozen=True, slots=True)
class BulkOp:
    """One row: the direction seen from global memory, and the roles of the operands (their ODS names).

    `rows`: the role of a tensor of row numbers (gather, scatter), or empty. `buffer` is empty before
    lowering, where the copy's shared memory is not in the IR yet. `prefetches`: it fills the L2 cache only.
    """

    direction: Direction
    coordinates: str
    buffer: str = ""
    rows: str = ""
    predicate: str = ""
    prefetches: bool = False

    @property
    def is_load(self) -> bool:
        """Whether it fills shared memory."""
        return self.direction is Direction.COPY and not self.prefetches


_LOAD, _STORE, _ADD = Direction.COPY, Direction.STORE, Direction.ATOMIC

BULK_OPS: dict[str, BulkOp] = {
    "ttng.async_tma_copy_global_to_local": BulkOp(_LOAD, "coord", "result", predicate="pred"),
    "ttng.async_tma_gather": BulkOp(_LOAD, "y_offset", "result", "x_offsets", "pred"),
    "ttng.async_tma_copy_local_to_global": BulkOp(_STORE, "coord", "src"),
    "ttng.async_tma_scatter": BulkOp(_STORE, "y_offset", "src", "x_offsets"),
    "ttng.async_tma_reduce": BulkOp(_ADD, "coord", "src"),
    "ttng.async_tma_prefetch": BulkOp(_LOAD, "coord", predicate="pred", prefetches=True),
    "tt.descriptor_load": BulkOp(_LOAD, "indices"),
    "tt.descriptor_gather": BulkOp(_LOAD, "y_offset", rows="x_offsets"),
    "tt.descriptor_store": BulkOp(_STORE, "indices"),
    "tt.descriptor_scatter": BulkOp(_STORE, "y_offset", rows="x_offsets"),
    "tt.descriptor_reduce": BulkOp(_ADD, "indices"),
    "amdg.async_tdm_copy_global_to_local": BulkOp(_LOAD, "indices", "result", predicate="pred"),
    "amdg.async_tdm_fused_copy_global_to_local": BulkOp(_LOAD, "", "result"),
    "amdg.tdm_prefetch": BulkOp(_LOAD, "indices", predicate="pred", prefetches=True),
    "amdg.async_tdm_copy_local_to_global": BulkOp(_STORE, "indices", "src"),
    "amdg.async_tdm_gather": BulkOp(_LOAD, "", "result", "indices", "pred"),
    "amdg.async_tdm_scatter": BulkOp(_STORE, "", "src", "indices"),
}


def bulk_row(op: Operation) -> BulkOp | None:
    """The row of an operation (its old dialect name included); None if it is no bulk copy with a model."""
    return BULK_OPS.get(op.name.replace("amdgpu.", "amdg.", 1))
