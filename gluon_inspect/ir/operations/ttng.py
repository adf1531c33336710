"""The ttng dialect (include/triton/Dialect/TritonNvidiaGPU/IR/TritonNvidiaGPUOps.td of Triton 3.6 to 3.9)."""

from gluon_inspect.ir.operations.constraints import count, memory_like
from gluon_inspect.ir.operations.effects import BulkEffect, Move
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import TOKEN, plain, roles
from gluon_inspect.ir.operations.shapes import dot
from gluon_inspect.model.access import Direction

_TMA_LOAD = roles("desc [coord] offsets=offsets result barrier pred",
                  "desc coord* offsets* barrier result pred")  # fmt: skip
_TMA_GATHER = roles("desc [x_offsets,y_offset] result barrier pred",
                    "desc x_offsets y_offset barrier result pred")  # fmt: skip
_TMA_STORE = roles("desc [coord] src")
_MMA = roles("a b d [acc_dep] useD pred barriers* [barrier_preds]",
             "a b d acc_dep useD pred barriers* barrier_preds*")  # fmt: skip
_MMA_SCALED = roles(
    "a b d [acc_dep] a_scale b_scale useD pred barriers* [barrier_preds]",
    "a b d acc_dep a_scale b_scale useD pred barriers* barrier_preds*",
)

ASYNC_SHARED_STORE = OperationRow("ttng.async_shared_store", K.SHARED_STORE, roles=roles("src dst mbarrier"))
WARP_GROUP_DOT = OperationRow("ttng.warp_group_dot", K.MMA, roles=roles("a b c useC"), requires=(count(3, 4), dot))
WARP_GROUP_DOT_WAIT = OperationRow("ttng.warp_group_dot_wait", K.WAIT, roles=roles("inputs*"))
TC_GEN5_MMA = OperationRow("ttng.tc_gen5_mma", K.MMA, R.FIXED, TOKEN, roles=_MMA, predicate="pred")
TC_GEN5_MMA_SCALED = OperationRow(
    "ttng.tc_gen5_mma_scaled", K.MMA, R.FIXED, TOKEN, roles=_MMA_SCALED, predicate="pred"
)
TC_GEN5_COMMIT = OperationRow("ttng.tc_gen5_commit", K.WAIT, roles=roles("barrier pred descs=descs*"))
TMEM_ALLOC = OperationRow(
    "ttng.tmem_alloc",
    K.TENSOR_ALLOC,
    roles=roles("src"),
    tensor=Move(is_store=True, buffer="", tensor="src"),
    requires=(count(0, 1),),
)
TMEM_LOAD = OperationRow(
    "ttng.tmem_load",
    K.TENSOR_LOAD,
    R.TOKEN_SECOND,
    roles=roles("src [dep]"),
    tensor=Move(is_store=False, buffer="src", tensor=""),
    requires=(count(1, 2), memory_like(0, None)),
)
TMEM_STORE = OperationRow(
    "ttng.tmem_store",
    K.TENSOR_STORE,
    R.FIXED,
    TOKEN,
    roles=roles("src dst [dep] pred", "dst dep src pred"),
    tensor=Move(is_store=True, buffer="dst", tensor="src"),
    predicate="pred",
)
TMEM_COPY = OperationRow("ttng.tmem_copy", K.TENSOR_COPY, roles=roles("src dst barrier"))
BARRIER_EXPECT = OperationRow("ttng.barrier_expect", K.MBARRIER, words=("size",), roles=roles("alloc pred"))
WAIT_BARRIER = OperationRow("ttng.wait_barrier", K.MBARRIER, roles=roles("alloc phase pred deps=deps*"))
ARRIVE_BARRIER = OperationRow("ttng.arrive_barrier", K.MBARRIER, words=("count",), roles=roles("alloc pred"))
CLUSTER_BARRIER = OperationRow("ttng.cluster_barrier", K.BARRIER)
CLUSTER_WAIT = OperationRow("ttng.cluster_wait", K.BARRIER)
CLC_TRY_CANCEL = OperationRow("ttng.clc_try_cancel", K.MBARRIER, roles=roles("result mbarrier"))
CLC_LOAD_RESULT = OperationRow("ttng.clc_load_result", K.SHARED_LOAD, roles=roles("src"))
CLC_IS_CANCELED = OperationRow("ttng.clc_is_canceled", K.QUERY)
CLC_GET_PROGRAM_ID = OperationRow("ttng.clc_get_program_id", K.QUERY, words=("dim",))
REINTERPRET_TENSOR_DESCRIPTOR = OperationRow("ttng.reinterpret_tensor_descriptor", K.DESCRIPTOR)
TENSORMAP_CREATE = OperationRow("ttng.tensormap_create", K.DESCRIPTOR)
ROWS = [
    OperationRow(
        "ttng.async_tma_copy_global_to_local",
        K.BULK_LOAD,
        roles=_TMA_LOAD,
        bulk=BulkEffect(Direction.COPY, "coord", "result", predicate="pred"),
    ),
    OperationRow(
        "ttng.async_tma_gather",
        K.BULK_LOAD,
        roles=_TMA_GATHER,
        bulk=BulkEffect(Direction.COPY, "y_offset", "result", "x_offsets", "pred"),
    ),
    OperationRow(
        "ttng.async_tma_copy_local_to_global",
        K.BULK_STORE,
        roles=_TMA_STORE,
        bulk=BulkEffect(Direction.STORE, "coord", "src"),
    ),
    OperationRow(
        "ttng.async_tma_scatter",
        K.BULK_STORE,
        roles=roles("desc [x_offsets,y_offset] src"),
        bulk=BulkEffect(Direction.STORE, "y_offset", "src", "x_offsets"),
    ),
    OperationRow(
        "ttng.async_tma_reduce",
        K.BULK_STORE,
        words=("kind",),
        roles=_TMA_STORE,
        bulk=BulkEffect(Direction.ATOMIC, "coord", "src"),
    ),
    OperationRow(
        "ttng.async_tma_prefetch",
        K.BULK_PREFETCH,
        roles=roles("desc [coord] pred"),
        bulk=BulkEffect(Direction.COPY, "coord", predicate="pred", prefetches=True),
    ),
    OperationRow("ttng.async_tma_store_wait", K.WAIT),
    OperationRow("ttng.tmem_subslice", K.TENSOR_VIEW, roles=roles("src")),
    OperationRow("ttng.tmem_wait", K.WAIT, words=("kind",)),
    OperationRow("ttng.init_barrier", K.MBARRIER, words=("count",), roles=roles("alloc")),
    OperationRow("ttng.inval_barrier", K.MBARRIER, roles=roles("alloc")),
    OperationRow("ttng.async_copy_mbarrier_arrive", K.MBARRIER, roles=roles("barrier")),
    *plain(K.FENCE, "ttng.fence_async_shared ttng.fence_mbarrier_init_release_cluster ttng.fence"),
    OperationRow("ttng.cluster_arrive", K.BARRIER),
    OperationRow("ttng.clc_try_cancel_sync", K.QUERY, pure=False),
    OperationRow("ttng.packed_arith", K.ARITHMETIC, words=("op_kind",)),
    OperationRow("ttng.tensormap_fenceproxy_acquire", K.WAIT),
]
