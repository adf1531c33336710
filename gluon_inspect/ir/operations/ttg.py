"""The ttg dialect (include/triton/Dialect/TritonGPU/IR/TritonGPUOps.td of Triton 3.6 to 3.9)."""

from gluon_inspect.ir.operations.constraints import (
    count,
    gives,
    memory_like,
    pointer_first,
    roles_like,
    same_shapes,
)
from gluon_inspect.ir.operations.effects import LaneEffect, Move
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import TOKEN, roles
from gluon_inspect.ir.operations.shapes import allocated, same_numel, transposed
from gluon_inspect.model.access import Direction

CONVERT_LAYOUT = OperationRow(
    "ttg.convert_layout", K.CONVERSION, roles=roles("src"), requires=(count(1), gives(1, 1), same_shapes)
)
ASYNC_COPY_GLOBAL_TO_LOCAL = OperationRow(
    "ttg.async_copy_global_to_local",
    K.GLOBAL_TO_SHARED,
    R.FIXED,
    TOKEN,
    roles=roles("src result mask=mask other=other"),
    lanes=LaneEffect(Direction.COPY, address="src", once=True),
    shared=Move(is_store=True, buffer="result", tensor="src"),
    requires=(count(2, 4), pointer_first, roles_like("src", "mask", "other")),
)
ASYNC_WAIT = OperationRow("ttg.async_wait", K.WAIT, R.FIXED, TOKEN)
LOCAL_ALLOC = OperationRow(
    "ttg.local_alloc",
    K.SHARED_ALLOC,
    roles=roles("src"),
    shared=Move(is_store=True, buffer="", tensor="src"),
    requires=(count(0, 1), allocated),
)
LOCAL_DEALLOC = OperationRow("ttg.local_dealloc", K.SHARED_FREE, roles=roles("src"))
MEMDESC_INDEX = OperationRow(
    "ttg.memdesc_index", K.SHARED_VIEW, roles=roles("src [index]"), requires=(count(1, 2), gives(1, 1))
)
MEMDESC_TRANS = OperationRow(
    "ttg.memdesc_trans", K.SHARED_VIEW, roles=roles("src"), requires=(count(1), gives(1, 1), transposed)
)
LOCAL_LOAD = OperationRow(
    "ttg.local_load",
    K.SHARED_LOAD,
    roles=roles("src token=token"),
    shared=Move(is_store=False, buffer="src", tensor=""),
    requires=(count(1, 2), gives(0, 1), memory_like(0, None)),
)
LOCAL_STORE = OperationRow(
    "ttg.local_store",
    K.SHARED_STORE,
    roles=roles("src dst"),
    shared=Move(is_store=True, buffer="dst", tensor="src"),
    requires=(count(2), memory_like(1, 0)),
)
LOCAL_GATHER = OperationRow("ttg.local_gather", K.SHARED_LOAD, roles=roles("src [indices] token=token"))
LOCAL_SCATTER = OperationRow(
    "ttg.local_scatter",
    K.SHARED_STORE,
    roles=roles("dst [indices] values token=token", "dst values indices token"),
)
LOCAL_ATOMIC_SCATTER_RMW = OperationRow(
    "ttg.local_atomic_scatter_rmw",
    K.SHARED_ATOMIC,
    words=("atomic_rmw_op",),
    roles=roles("dst [indices] values mask", "dst values indices mask"),
)
WARP_SPECIALIZE = OperationRow("ttg.warp_specialize", K.CONTROL, regions=True)
PARTITIONS = OperationRow("ttg.warp_specialize.partitions", K.CONTROL, isolated=True, regions=True)
WARP_YIELD = OperationRow("ttg.warp_yield", K.CONTROL, hands_over=True)
ROWS = [
    OperationRow("ttg.async_commit_group", K.WAIT, R.FIXED, TOKEN),
    OperationRow("ttg.memdesc_subslice", K.SHARED_VIEW, roles=roles("src"), bracket="offsets"),
    OperationRow("ttg.memdesc_subview", K.SHARED_VIEW, roles=roles("src [offsets]")),
    OperationRow(
        "ttg.memdesc_reshape", K.SHARED_VIEW, roles=roles("src"), requires=(count(1), gives(1, 1), same_numel)
    ),
    OperationRow("ttg.memdesc_reinterpret", K.SHARED_VIEW, roles=roles("src")),
    OperationRow("ttg.fp4_to_fp", K.ARITHMETIC),
    OperationRow("ttg.inline_asm", K.ASSEMBLY, words=("asm_string",), roles=roles("args*")),
    OperationRow("ttg.global_scratch_alloc", K.SCRATCH),
    OperationRow("ttg.predicate_stage", K.CONTROL),
    OperationRow("ttg.mask", K.CONTROL, regions=True),
    OperationRow("ttg.mask.return", K.CONTROL),
    OperationRow("ttg.warp_return", K.CONTROL),
    OperationRow("ttg.barrier", K.BARRIER, words=("addrSpace",)),
    OperationRow("ttg.local_barrier", K.BARRIER),
    OperationRow("ttg.warp_id", K.QUERY, R.FIXED, "i32"),
]
