"""The builtin, func and gpu dialects as far as kernels use them."""

from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R

MODULE = OperationRow(
    "builtin.module", K.MODULE, symbol="sym_name", isolated=True, regions=True, dialect="builtin"
)
CAST = OperationRow("builtin.unrealized_conversion_cast", K.CONVERSION)
FUNC = OperationRow("func.func", K.FUNCTION, symbol="sym_name", isolated=True, regions=True, dialect="func")
RETURN = OperationRow("func.return", K.CONTROL, hands_over=True)
ROWS = [
    OperationRow("func.call", K.CALL),
    OperationRow("gpu.module", K.MODULE, symbol="sym_name", isolated=True, regions=True),
    OperationRow("gpu.func", K.FUNCTION, symbol="sym_name", isolated=True, regions=True),
    OperationRow("gpu.return", K.CONTROL),
    OperationRow("gpu.barrier", K.BARRIER),
    *[
        OperationRow(name, K.QUERY, R.FIXED, "index", words=("dimension",))
        for name in ("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim")
    ],
]
