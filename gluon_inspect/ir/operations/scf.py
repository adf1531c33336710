"""Control flow: the scf and cf dialects."""

from gluon_inspect.ir.operations.constraints import ANY, count
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.rows import plain
from gluon_inspect.ir.operations.shapes import branches, loop

YIELD = OperationRow("scf.yield", K.CONTROL, hands_over=True)
CONDITION = OperationRow("scf.condition", K.CONTROL, hands_over=True)
FOR = OperationRow(
    "scf.for", K.CONTROL, terminator=YIELD.name, regions=True, loop=True, requires=(count(3, ANY), loop)
)
WHILE = OperationRow("scf.while", K.CONTROL, regions=True, loop=True)
FORALL = OperationRow("scf.forall", K.CONTROL, regions=True, loop=True)
IF = OperationRow("scf.if", K.CONTROL, terminator=YIELD.name, regions=True, requires=(count(1), branches))
EXECUTE_REGION = OperationRow("scf.execute_region", K.CONTROL, regions=True)
COND_BR = OperationRow("cf.cond_br", K.CONTROL)
ROWS = [
    OperationRow("scf.index_switch", K.CONTROL, regions=True),
    *plain(K.CONTROL, "cf.br cf.switch"),
    OperationRow("cf.assert", K.DEBUG, words=("msg",)),
]
