"""The ttg dialect (include/triton/Dialect/TritonGPU/IR/TritonGPUOps.td of Triton 3.6 to 3.9)."""

from __future__ import annotations

from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import TOKEN, plain, roles

ROWS = [
    OperationRow("ttg.convert_layout", K.CONVERSION, roles=roles("src")),
    OperationRow(
        "ttg.async_copy_global_to_local",
        K.GLOBAL_TO_SHARED,
        R.FIXED,
        TOKEN,
        roles=roles("src result mask=mask other=other"),
    ),
    OperationRow("ttg.async_wait", K.WAIT, R.FIXED, TOKEN),
    OperationRow("ttg.async_commit_group", K.WAIT, R.FIXED, TOKEN),
    OperationRow("ttg.local_alloc", K.SHARED_ALLOC, roles=roles("src")),
    OperationRow("ttg.local_dealloc", K.SHARED_FREE, roles=roles("src")),
    OperationRow("ttg.memdesc_index", K.SHARED_VIEW, roles=roles("src [index]")),
    OperationRow("ttg.memdesc_subslice", K.SHARED_VIEW, roles=roles("src"), bracket="offsets"),
    OperationRow("ttg.memdesc_subview", K.SHARED_VIEW, roles=roles("src [offsets]")),
    *plain(K.SHARED_VIEW, "ttg.memdesc_trans ttg.memdesc_reshape ttg.memdesc_reinterpret", roles_text="src"),
    OperationRow("ttg.local_load", K.SHARED_LOAD, roles=roles("src token=token")),
    OperationRow("ttg.local_store", K.SHARED_STORE, roles=roles("src dst")),
    OperationRow("ttg.local_gather", K.SHARED_LOAD, roles=roles("src [indices] token=token")),
    OperationRow(
        "ttg.local_scatter",
        K.SHARED_STORE,
        roles=roles("dst [indices] values token=token", "dst values indices token"),
    ),
    OperationRow(
        "ttg.local_atomic_scatter_rmw",
        K.SHARED_ATOMIC,
        words=("atomic_rmw_op",),
        roles=roles("dst [indices] values mask", "dst values indices mask"),
    ),
    OperationRow("ttg.fp4_to_fp", K.ARITHMETIC),
    OperationRow("ttg.inline_asm", K.ASSEMBLY, words=("asm_string",), roles=roles("args*")),
    OperationRow("ttg.global_scratch_alloc", K.SCRATCH),
    OperationRow("ttg.predicate_stage", K.CONTROL),
    OperationRow("ttg.mask", K.CONTROL, regions=True),
    OperationRow("ttg.mask.return", K.CONTROL),
    OperationRow("ttg.warp_specialize", K.CONTROL, regions=True),
    OperationRow("ttg.warp_specialize.partitions", K.CONTROL, isolated=True, regions=True),
    *plain(K.CONTROL, "ttg.warp_yield ttg.warp_return"),
    OperationRow("ttg.barrier", K.BARRIER, words=("addrSpace",)),
    OperationRow("ttg.local_barrier", K.BARRIER),
    OperationRow("ttg.warp_id", K.QUERY, R.FIXED, "i32"),
]
