"""The tt dialect (include/triton/Dialect/Triton/IR/TritonOps.td of Triton 3.6 to 3.9)."""

from gluon_inspect.ir.operations.constraints import (
    ANY,
    count,
    gives,
    integer,
    pointer_first,
    roles_like,
    same_shapes,
)
from gluon_inspect.ir.operations.effects import BulkEffect, LaneEffect
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import plain, roles
from gluon_inspect.ir.operations.shapes import (
    axis_of_first,
    broadcast,
    concatenated,
    dot,
    expand_dims,
    joined,
    make_range,
    reduced,
    same_numel,
    splat,
    split,
    transposed,
)
from gluon_inspect.model.access import Direction

_SRC_INDICES = "desc src indices*"

FUNC = OperationRow("tt.func", K.FUNCTION, symbol="sym_name", isolated=True, regions=True)
RETURN = OperationRow("tt.return", K.CONTROL, hands_over=True)
REDUCE = OperationRow(
    "tt.reduce",
    K.REDUCTION,
    roles=roles("srcs*"),
    regions=True,
    combines=True,
    requires=(count(1, ANY), axis_of_first, reduced),
)
SCAN = OperationRow(
    "tt.scan",
    K.SCAN,
    roles=roles("srcs*"),
    regions=True,
    combines=True,
    requires=(count(1, ANY), axis_of_first, same_shapes),
)
GET_PROGRAM_ID = OperationRow("tt.get_program_id", K.QUERY, words=("axis",), requires=(count(0),))
GET_NUM_PROGRAMS = OperationRow("tt.get_num_programs", K.QUERY, words=("axis",), requires=(count(0),))
MAKE_RANGE = OperationRow("tt.make_range", K.CONSTANT, requires=(count(0), make_range))
INT_TO_PTR = OperationRow("tt.int_to_ptr", K.ARITHMETIC, elementwise=True, requires=(count(1), same_shapes))
PTR_TO_INT = OperationRow("tt.ptr_to_int", K.ARITHMETIC, elementwise=True, requires=(count(1), same_shapes))
BITCAST = OperationRow("tt.bitcast", K.ARITHMETIC, elementwise=True, requires=(count(1), same_shapes))
ADDPTR = OperationRow(
    "tt.addptr", K.ARITHMETIC, elementwise=True, requires=(count(2), pointer_first, integer(1), same_shapes)
)
SPLAT = OperationRow("tt.splat", K.SHAPE, requires=(count(1), gives(1, 1), splat))
UNSPLAT = OperationRow("tt.unsplat", K.SHAPE, R.ELEMENT, requires=(count(1),))
EXPAND_DIMS = OperationRow("tt.expand_dims", K.SHAPE, requires=(count(1), gives(1, 1), expand_dims))
BROADCAST = OperationRow("tt.broadcast", K.SHAPE, requires=(count(1), gives(1, 1), broadcast))
RESHAPE = OperationRow("tt.reshape", K.SHAPE, requires=(count(1), gives(1, 1), same_numel))
TRANS = OperationRow("tt.trans", K.SHAPE, requires=(count(1), gives(1, 1), transposed))
HISTOGRAM = OperationRow("tt.histogram", K.REDUCTION, roles=roles("src mask"))
GATHER = OperationRow("tt.gather", K.GATHER, roles=roles("src [indices]"))
DOT = OperationRow("tt.dot", K.MMA, roles=roles("a b c"), pure=True, requires=(count(3), gives(1, 1), dot))
DOT_SCALED = OperationRow(
    "tt.dot_scaled", K.MMA, roles=roles("a scale=a_scale b scale=b_scale c", "a b c a_scale b_scale"), pure=True
)
LOAD = OperationRow(
    "tt.load",
    K.GLOBAL_LOAD,
    R.POINTEE,
    roles=roles("ptr mask other"),
    lanes=LaneEffect(Direction.LOAD),
    requires=(count(1, 3), gives(0, 1), pointer_first, roles_like("ptr", "mask", "other"), same_shapes),
)
STORE = OperationRow(
    "tt.store",
    K.GLOBAL_STORE,
    roles=roles("ptr value mask"),
    lanes=LaneEffect(Direction.STORE, once=True),
    requires=(count(2, 3), gives(0, 0), pointer_first, roles_like("ptr", "value", "mask")),
)
ATOMIC_RMW = OperationRow(
    "tt.atomic_rmw",
    K.GLOBAL_ATOMIC,
    words=("atomic_rmw_op", "sem", "scope"),
    roles=roles("ptr val mask"),
    lanes=LaneEffect(Direction.ATOMIC, once=True),
    requires=(count(2, 3), pointer_first, roles_like("ptr", "val", "mask"), same_shapes),
)
ATOMIC_CAS = OperationRow(
    "tt.atomic_cas",
    K.GLOBAL_ATOMIC,
    words=("sem", "scope"),
    roles=roles("ptr cmp val"),
    lanes=LaneEffect(Direction.ATOMIC, mask="", once=True),
    requires=(count(3), pointer_first, roles_like("ptr", "cmp", "val"), same_shapes),
)
MAKE_TENSOR_DESCRIPTOR = OperationRow(
    "tt.make_tensor_descriptor",
    K.DESCRIPTOR,
    R.LAST,
    roles=roles("base [shape] [strides]"),
    shorthand="!tt.tensordesc",
)
ROWS = [
    OperationRow("tt.call", K.CALL),
    OperationRow("tt.map_elementwise", K.ARITHMETIC, roles=roles("srcs*"), regions=True, combines=True),
    *plain(K.CONTROL, "tt.reduce.return tt.scan.return tt.map_elementwise.return"),
    *plain(K.ARITHMETIC, "tt.fp_to_fp tt.precise_sqrt", elementwise=True, requires=(count(1), same_shapes)),
    *plain(
        K.ARITHMETIC,
        "tt.mulhiui tt.precise_divf tt.approx_divf",
        elementwise=True,
        requires=(count(2), same_shapes),
    ),
    *plain(K.ARITHMETIC, "tt.clampf", elementwise=True, requires=(count(3), same_shapes)),
    OperationRow("tt.cat", K.SHAPE, requires=(count(2), gives(1, 1), concatenated)),
    OperationRow("tt.join", K.SHAPE, requires=(count(2), gives(1, 1), joined)),
    OperationRow("tt.split", K.SHAPE, requires=(count(1), split)),
    OperationRow("tt.atomic_load", K.GLOBAL_ATOMIC, words=("sem", "scope"), roles=roles("ptr mask")),
    OperationRow("tt.atomic_store", K.GLOBAL_STORE, words=("sem", "scope"), roles=roles("ptr value mask")),
    OperationRow(
        "tt.atomic_poll", K.GLOBAL_ATOMIC, words=("sem", "scope"), roles=roles("ptr expected timeout=timeout")
    ),
    OperationRow(
        "tt.descriptor_load",
        K.BULK_LOAD,
        roles=roles("desc [indices]"),
        bulk=BulkEffect(Direction.COPY, "indices"),
    ),
    OperationRow(
        "tt.descriptor_gather",
        K.BULK_LOAD,
        roles=roles("desc [x_offsets,y_offset]"),
        bulk=BulkEffect(Direction.COPY, "y_offset", rows="x_offsets"),
    ),
    OperationRow(
        "tt.descriptor_store",
        K.BULK_STORE,
        roles=roles("desc [indices] src", _SRC_INDICES),
        bulk=BulkEffect(Direction.STORE, "indices"),
    ),
    OperationRow(
        "tt.descriptor_reduce",
        K.BULK_STORE,
        words=("kind",),
        roles=roles("desc [indices] src", _SRC_INDICES),
        bulk=BulkEffect(Direction.ATOMIC, "indices"),
    ),
    OperationRow(
        "tt.descriptor_scatter",
        K.BULK_STORE,
        roles=roles("desc [x_offsets,y_offset] src"),
        bulk=BulkEffect(Direction.STORE, "y_offset", rows="x_offsets"),
    ),
    OperationRow("tt.extern_elementwise", K.ASSEMBLY, roles=roles("srcs*")),
    OperationRow("tt.elementwise_inline_asm", K.ASSEMBLY, words=("asm_string",), roles=roles("srcs*")),
    OperationRow("tt.print", K.DEBUG, words=("prefix",)),
    OperationRow("tt.assert", K.DEBUG, words=("message",)),
    *plain(K.WAIT, "tt.grid_dependency_wait tt.grid_dependency_launch_dependents"),
]
