"""The arith, math and ub dialects."""

from gluon_inspect.ir.operations.constraints import Constraint, count, gives, same_elements, same_shapes
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.shapes import constant

_UNARY: tuple[Constraint, ...] = (count(1), gives(1, 1), same_shapes)
_BINARY: tuple[Constraint, ...] = (count(2), gives(1, 1), same_shapes, same_elements)


def _elementwise(
    name: str, result: R = R.LISTED, words: tuple[str, ...] = (), requires: tuple[Constraint, ...] = _BINARY
) -> OperationRow:
    return OperationRow(name, K.ARITHMETIC, result, words=words, elementwise=True, requires=requires)


CONSTANT = OperationRow(
    "arith.constant", K.CONSTANT, R.LITERAL, literal="value", requires=(count(0), gives(0, 1), constant)
)
POISON = OperationRow("ub.poison", K.CONSTANT)
ADDI = _elementwise("arith.addi")
SUBI = _elementwise("arith.subi")
MULI = _elementwise("arith.muli")
DIVSI = _elementwise("arith.divsi")
DIVUI = _elementwise("arith.divui")
REMSI = _elementwise("arith.remsi")
REMUI = _elementwise("arith.remui")
CEILDIVSI = _elementwise("arith.ceildivsi")
FLOORDIVSI = _elementwise("arith.floordivsi")
ANDI = _elementwise("arith.andi")
ORI = _elementwise("arith.ori")
XORI = _elementwise("arith.xori")
SHLI = _elementwise("arith.shli")
SHRSI = _elementwise("arith.shrsi")
SHRUI = _elementwise("arith.shrui")
MAXSI = _elementwise("arith.maxsi")
MAXUI = _elementwise("arith.maxui")
MINSI = _elementwise("arith.minsi")
MINUI = _elementwise("arith.minui")
EXTSI = _elementwise("arith.extsi", requires=_UNARY)
EXTUI = _elementwise("arith.extui", requires=_UNARY)
TRUNCI = _elementwise("arith.trunci", requires=_UNARY)
INDEX_CAST = _elementwise("arith.index_cast", requires=_UNARY)
INDEX_CASTUI = _elementwise("arith.index_castui", requires=_UNARY)
SELECT = _elementwise("arith.select", R.LAST, requires=(count(3), gives(1, 1), same_shapes))
CMPI = _elementwise("arith.cmpi", R.BOOLEAN, ("predicate",))
CMPF = _elementwise("arith.cmpf", R.BOOLEAN, ("predicate",))

_ARITH_UNARY = "negf extf truncf sitofp uitofp fptosi fptoui bitcast"
_ARITH_BINARY = "addf subf mulf divf remf maximumf minimumf maxnumf minnumf ceildivui"
_ARITH_OTHERS = "addui_extended mulsi_extended mului_extended scaling_extf scaling_truncf"
_MATH_UNARY = """absf absi acos acosh asin asinh atan atanh cbrt ceil cos cosh ctlz cttz ctpop erf erfc exp exp2
    expm1 floor isfinite isinf isnan isnormal log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh
    trunc"""
_MATH_BINARY = "atan2 copysign fpowi ipowi powf"
ROWS = [
    *(_elementwise(f"arith.{name}", requires=_UNARY) for name in _ARITH_UNARY.split()),
    *(_elementwise(f"arith.{name}") for name in _ARITH_BINARY.split()),
    *(_elementwise(f"arith.{name}", requires=()) for name in _ARITH_OTHERS.split()),
    *(_elementwise(f"math.{name}", requires=_UNARY) for name in _MATH_UNARY.split()),
    *(_elementwise(f"math.{name}", requires=(count(2), same_shapes)) for name in _MATH_BINARY.split()),
    _elementwise("math.fma", requires=(count(3), same_shapes, same_elements)),
    *(_elementwise(f"math.{name}", requires=()) for name in ("sincos", "clampf")),
    OperationRow("ub.unreachable", K.CONSTANT, pure=False),
]
