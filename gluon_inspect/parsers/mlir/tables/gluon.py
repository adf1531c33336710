"""The gluon dialect, and nvws and tti beside it."""

from __future__ import annotations

from gluon_inspect.model.operations import OperationKind as K
from gluon_inspect.model.operations import OperationRow
from gluon_inspect.model.operations import ResultRule as R
from gluon_inspect.parsers.mlir.tables.rows import roles

ROWS = [
    OperationRow("gluon.set_auto_layout", K.CONVERSION, roles=roles("src")),
    OperationRow("nvws.aref.create", K.SHARED_VIEW, shorthand="!nvws.aref"),
    OperationRow("nvws.create_token", K.MBARRIER),
    OperationRow("tti.dot_i8", K.MMA, roles=roles("a b c")),
    OperationRow("tti.experimental_memdesc_to_i32", K.QUERY, R.FIXED, "i32"),
    OperationRow("tti.experimental_memory_offset_to_i32", K.QUERY, R.FIXED, "i32", words=("offset", "memType")),
    OperationRow("tti.experimental_cluster_cta_id", K.QUERY),
    OperationRow("tti.experimental_assert_uniform", K.DEBUG),
    OperationRow("tti.experimental_fpsan_embed", K.ARITHMETIC),
    OperationRow("tti.experimental_fpsan_unembed", K.ARITHMETIC),
]
