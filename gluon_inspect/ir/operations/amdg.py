"""The amdg dialect (named amdgpu before; third_party/amd/include/Dialect/TritonAMDGPU/IR/TritonAMDGPUOps.td)."""

from gluon_inspect.ir.operations.effects import BulkEffect, LaneEffect, Move
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import TOKEN, plain, roles
from gluon_inspect.model.access import Direction

PREFIX = "amdg."
BUFFER_LOAD = OperationRow(
    "amdg.buffer_load",
    K.GLOBAL_LOAD,
    R.LAST,
    roles=roles("ptr [offsets] mask other stride=stride", "ptr offsets stride mask other"),
    lanes=LaneEffect(Direction.LOAD, offsets="offsets"),
)
BUFFER_STORE = OperationRow(
    "amdg.buffer_store",
    K.GLOBAL_STORE,
    roles=roles("value ptr [offsets] mask stride=stride", "value ptr offsets stride mask"),
    lanes=LaneEffect(Direction.STORE, offsets="offsets", once=True),
)
BUFFER_LOAD_TO_LOCAL = OperationRow(
    "amdg.buffer_load_to_local",
    K.GLOBAL_TO_SHARED,
    R.FIXED,
    TOKEN,
    roles=roles(
        "ptr [offsets] mask=mask other=other stride=stride into=dest",
        "dest ptr offsets mask other stride",
    ),
    lanes=LaneEffect(Direction.COPY, offsets="offsets", once=True),
    shared=Move(is_store=True, buffer="dest", tensor="offsets"),
)
ASYNC_COPY_LOCAL_TO_GLOBAL = OperationRow(
    "amdg.async_copy_local_to_global",
    K.SHARED_TO_GLOBAL,
    R.FIXED,
    TOKEN,
    roles=roles("src dst mask=mask"),
    lanes=LaneEffect(Direction.STORE, address="dst", once=True),
    shared=Move(is_store=False, buffer="src", tensor="dst"),
)
UPDATE_TENSOR_DESCRIPTOR = OperationRow(
    "amdg.update_tensor_descriptor",
    K.DESCRIPTOR,
    roles=roles("desc add_offsets=add_offsets set_bounds=set_bounds pred=pred"),
)
LOCAL_LOAD_PACKED_TRANSPOSED = OperationRow(
    "amdg.local_load_packed_transposed", K.SHARED_LOAD, roles=roles("src token=token")
)
WAIT_BARRIER = OperationRow("amdg.wait_barrier", K.MBARRIER, roles=roles("alloc phase"))
ARRIVE_BARRIER = OperationRow("amdg.arrive_barrier", K.MBARRIER, words=("count",), roles=roles("alloc"))
ROWS = [
    OperationRow(
        "amdg.buffer_atomic_rmw",
        K.GLOBAL_ATOMIC,
        R.LAST,
        words=("atomic_rmw_op", "sem", "scope"),
        roles=roles("value ptr [offsets] mask stride=stride", "ptr offsets value stride mask"),
        lanes=LaneEffect(Direction.ATOMIC, offsets="offsets", once=True),
    ),
    OperationRow(
        "amdg.buffer_atomic_cas",
        K.GLOBAL_ATOMIC,
        R.LAST,
        words=("sem", "scope"),
        roles=roles("cmp val ptr [offsets] stride=stride", "ptr offsets cmp val stride"),
        lanes=LaneEffect(Direction.ATOMIC, offsets="offsets", mask="", once=True),
    ),
    OperationRow(
        "amdg.async_tdm_copy_global_to_local",
        K.BULK_LOAD,
        R.FIXED,
        TOKEN,
        roles=roles("desc [indices] into=result pred=pred barrier=barrier"),
        bulk=BulkEffect(Direction.COPY, "indices", "result", predicate="pred"),
    ),
    OperationRow(
        "amdg.async_tdm_fused_copy_global_to_local",
        K.BULK_LOAD,
        R.FIXED,
        TOKEN,
        roles=roles("desc* into=result*"),
        bulk=BulkEffect(Direction.COPY, "", "result"),
    ),
    OperationRow(
        "amdg.async_tdm_copy_local_to_global",
        K.BULK_STORE,
        R.FIXED,
        TOKEN,
        roles=roles("desc [indices] from=src barrier=barrier"),
        bulk=BulkEffect(Direction.STORE, "indices", "src"),
    ),
    OperationRow(
        "amdg.async_tdm_gather",
        K.BULK_LOAD,
        R.FIXED,
        TOKEN,
        roles=roles("desc [indices] to=result pred=pred barrier=barrier"),
        bulk=BulkEffect(Direction.COPY, "", "result", "indices", "pred"),
    ),
    OperationRow(
        "amdg.async_tdm_scatter",
        K.BULK_STORE,
        R.FIXED,
        TOKEN,
        roles=roles("desc [indices] from=src barrier=barrier"),
        bulk=BulkEffect(Direction.STORE, "", "src", "indices"),
    ),
    OperationRow(
        "amdg.tdm_prefetch",
        K.BULK_PREFETCH,
        roles=roles("desc [indices] pred"),
        bulk=BulkEffect(Direction.COPY, "indices", predicate="pred", prefetches=True),
    ),
    *[
        OperationRow(name, K.WAIT, R.FIXED, TOKEN)
        for name in ("amdg.async_wait", "amdg.async_tdm_wait", "amdg.async_tdm_intrinsic_wait")
    ],
    OperationRow("amdg.init_barrier", K.MBARRIER, words=("count",), roles=roles("alloc")),
    OperationRow("amdg.async_copy_mbarrier_arrive", K.MBARRIER, roles=roles("alloc")),
    *plain(K.BARRIER, "amdg.cond_barrier amdg.cluster_barrier_arrive amdg.cluster_barrier_wait"),
    OperationRow("amdg.extract_slice", K.SHAPE, bracket="static_offsets"),
    OperationRow("amdg.concat", K.SHAPE),
    OperationRow("amdg.in_thread_transpose", K.CONVERSION, roles=roles("src")),
    OperationRow("amdg.scaled_upcast_fp4", K.ARITHMETIC, roles=roles("src scale=scale")),
    OperationRow("amdg.scaled_upcast_fp8", K.ARITHMETIC, roles=roles("src scale=scale")),
    OperationRow("amdg.upcast_mxfp", K.ARITHMETIC),
    *plain(K.ARITHMETIC, "amdg.scaled_downcast_fp4 amdg.scaled_downcast_fp8"),
    OperationRow("amdg.instruction_sched_hint", K.HINT),
    OperationRow("amdg.memory_counter_wait", K.WAIT),
    OperationRow("amdg.masked_load", K.GLOBAL_LOAD),
    OperationRow("amdg.masked_store", K.GLOBAL_STORE),
]
