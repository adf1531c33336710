"""The ttng dialect (include/triton/Dialect/TritonNvidiaGPU/IR/TritonNvidiaGPUOps.td of Triton 3.6 to 3.9)."""

from __future__ import annotations

from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import TOKEN, plain, roles

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

ROWS = [
    OperationRow("ttng.async_tma_copy_global_to_local", K.BULK_LOAD, roles=_TMA_LOAD),
    OperationRow("ttng.async_tma_gather", K.BULK_LOAD, roles=_TMA_GATHER),
    OperationRow("ttng.async_tma_copy_local_to_global", K.BULK_STORE, roles=_TMA_STORE),
    OperationRow("ttng.async_tma_scatter", K.BULK_STORE, roles=roles("desc [x_offsets,y_offset] src")),
    OperationRow("ttng.async_tma_reduce", K.BULK_STORE, words=("kind",), roles=_TMA_STORE),
    OperationRow("ttng.async_tma_prefetch", K.BULK_PREFETCH, roles=roles("desc [coord] pred")),
    OperationRow("ttng.async_tma_store_wait", K.WAIT),
    OperationRow("ttng.async_shared_store", K.SHARED_STORE, roles=roles("src dst mbarrier")),
    OperationRow("ttng.warp_group_dot", K.MMA, roles=roles("a b c useC")),
    OperationRow("ttng.warp_group_dot_wait", K.WAIT, roles=roles("inputs*")),
    OperationRow("ttng.tc_gen5_mma", K.MMA, R.FIXED, TOKEN, roles=_MMA),
    OperationRow(
        "ttng.tc_gen5_mma_scaled",
        K.MMA,
        R.FIXED,
        TOKEN,
        roles=_MMA_SCALED,
    ),
    OperationRow("ttng.tc_gen5_commit", K.WAIT, roles=roles("barrier pred descs=descs*")),
    OperationRow("ttng.tmem_alloc", K.TENSOR_ALLOC, roles=roles("src")),
    OperationRow("ttng.tmem_load", K.TENSOR_LOAD, R.TOKEN_SECOND, roles=roles("src [dep]")),
    OperationRow(
        "ttng.tmem_store",
        K.TENSOR_STORE,
        R.FIXED,
        TOKEN,
        roles=roles("src dst [dep] pred", "dst dep src pred"),
    ),
    OperationRow("ttng.tmem_copy", K.TENSOR_COPY, roles=roles("src dst barrier")),
    OperationRow("ttng.tmem_subslice", K.TENSOR_VIEW, roles=roles("src")),
    OperationRow("ttng.tmem_wait", K.WAIT, words=("kind",)),
    OperationRow("ttng.init_barrier", K.MBARRIER, words=("count",), roles=roles("alloc")),
    OperationRow("ttng.inval_barrier", K.MBARRIER, roles=roles("alloc")),
    OperationRow("ttng.barrier_expect", K.MBARRIER, words=("size",), roles=roles("alloc pred")),
    OperationRow("ttng.wait_barrier", K.MBARRIER, roles=roles("alloc phase pred deps=deps*")),
    OperationRow("ttng.arrive_barrier", K.MBARRIER, words=("count",), roles=roles("alloc pred")),
    OperationRow("ttng.async_copy_mbarrier_arrive", K.MBARRIER, roles=roles("barrier")),
    *plain(K.WAIT, "ttng.fence_async_shared ttng.fence_mbarrier_init_release_cluster ttng.fence"),
    *plain(K.BARRIER, "ttng.cluster_barrier ttng.cluster_arrive ttng.cluster_wait"),
    OperationRow("ttng.clc_try_cancel", K.MBARRIER, roles=roles("result mbarrier")),
    OperationRow("ttng.clc_try_cancel_sync", K.QUERY),
    OperationRow("ttng.clc_load_result", K.SHARED_LOAD, roles=roles("src")),
    OperationRow("ttng.clc_is_canceled", K.QUERY),
    OperationRow("ttng.clc_get_program_id", K.QUERY, words=("dim",)),
    OperationRow("ttng.packed_arith", K.ARITHMETIC, words=("op_kind",)),
    OperationRow("ttng.reinterpret_tensor_descriptor", K.DESCRIPTOR),
    OperationRow("ttng.tensormap_create", K.DESCRIPTOR),
    OperationRow("ttng.tensormap_fenceproxy_acquire", K.WAIT),
]
