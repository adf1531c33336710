"""The tt dialect (include/triton/Dialect/Triton/IR/TritonOps.td of Triton 3.6 to 3.9)."""

from __future__ import annotations

from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import plain, roles

ROWS = [
    OperationRow("tt.func", K.FUNCTION, symbol="sym_name", isolated=True, regions=True),
    OperationRow("tt.return", K.CONTROL),
    OperationRow("tt.call", K.CALL),
    OperationRow("tt.reduce", K.REDUCTION, roles=roles("srcs*"), regions=True),
    OperationRow("tt.scan", K.SCAN, roles=roles("srcs*"), regions=True),
    OperationRow("tt.map_elementwise", K.ARITHMETIC, roles=roles("srcs*"), regions=True),
    *plain(K.CONTROL, "tt.reduce.return tt.scan.return tt.map_elementwise.return"),
    OperationRow("tt.get_program_id", K.QUERY, words=("axis",)),
    OperationRow("tt.get_num_programs", K.QUERY, words=("axis",)),
    OperationRow("tt.make_range", K.CONSTANT),
    *plain(K.ARITHMETIC, "tt.int_to_ptr tt.ptr_to_int tt.bitcast tt.fp_to_fp tt.clampf tt.mulhiui tt.addptr"),
    *plain(K.ARITHMETIC, "tt.precise_sqrt tt.precise_divf tt.approx_divf"),
    *plain(K.SHAPE, "tt.splat tt.expand_dims tt.reshape tt.broadcast tt.cat tt.join tt.split tt.trans"),
    OperationRow("tt.unsplat", K.SHAPE, R.ELEMENT),
    OperationRow("tt.histogram", K.REDUCTION, roles=roles("src mask")),
    OperationRow("tt.gather", K.GATHER, roles=roles("src [indices]")),
    OperationRow("tt.dot", K.MMA, roles=roles("a b c")),
    OperationRow(
        "tt.dot_scaled", K.MMA, roles=roles("a scale=a_scale b scale=b_scale c", "a b c a_scale b_scale")
    ),
    OperationRow("tt.load", K.GLOBAL_LOAD, R.POINTEE, roles=roles("ptr mask other")),
    OperationRow("tt.store", K.GLOBAL_STORE, roles=roles("ptr value mask")),
    OperationRow(
        "tt.atomic_rmw",
        K.GLOBAL_ATOMIC,
        words=("atomic_rmw_op", "sem", "scope"),
        roles=roles("ptr val mask"),
    ),
    OperationRow("tt.atomic_cas", K.GLOBAL_ATOMIC, words=("sem", "scope"), roles=roles("ptr cmp val")),
    OperationRow("tt.atomic_load", K.GLOBAL_ATOMIC, words=("sem", "scope"), roles=roles("ptr mask")),
    OperationRow("tt.atomic_store", K.GLOBAL_STORE, words=("sem", "scope"), roles=roles("ptr value mask")),
    OperationRow(
        "tt.atomic_poll",
        K.GLOBAL_ATOMIC,
        words=("sem", "scope"),
        roles=roles("ptr expected timeout=timeout"),
    ),
    OperationRow(
        "tt.make_tensor_descriptor",
        K.DESCRIPTOR,
        R.LAST,
        roles=roles("base [shape] [strides]"),
        shorthand="!tt.tensordesc",
    ),
    OperationRow("tt.descriptor_load", K.BULK_LOAD, roles=roles("desc [indices]")),
    OperationRow("tt.descriptor_gather", K.BULK_LOAD, roles=roles("desc [x_offsets,y_offset]")),
    OperationRow(
        "tt.descriptor_store",
        K.BULK_STORE,
        roles=roles("desc [indices] src", "desc src indices*"),
    ),
    OperationRow(
        "tt.descriptor_reduce",
        K.BULK_STORE,
        words=("kind",),
        roles=roles("desc [indices] src", "desc src indices*"),
    ),
    OperationRow("tt.descriptor_scatter", K.BULK_STORE, roles=roles("desc [x_offsets,y_offset] src")),
    OperationRow("tt.extern_elementwise", K.ASSEMBLY, roles=roles("srcs*")),
    OperationRow("tt.elementwise_inline_asm", K.ASSEMBLY, words=("asm_string",), roles=roles("srcs*")),
    OperationRow("tt.print", K.DEBUG, words=("prefix",)),
    OperationRow("tt.assert", K.DEBUG, words=("message",)),
    *plain(K.WAIT, "tt.grid_dependency_wait tt.grid_dependency_launch_dependents"),
]
