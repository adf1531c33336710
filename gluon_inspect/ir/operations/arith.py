"""The arith, math and ub dialects."""

from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R


def _elementwise(name: str, result: R = R.LISTED, words: tuple[str, ...] = ()) -> OperationRow:
    return OperationRow(name, K.ARITHMETIC, result, words=words, elementwise=True)


CONSTANT = OperationRow("arith.constant", K.CONSTANT, R.LITERAL, literal="value")
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
EXTSI = _elementwise("arith.extsi")
EXTUI = _elementwise("arith.extui")
TRUNCI = _elementwise("arith.trunci")
INDEX_CAST = _elementwise("arith.index_cast")
INDEX_CASTUI = _elementwise("arith.index_castui")
SELECT = _elementwise("arith.select", R.LAST)
CMPI = _elementwise("arith.cmpi", R.BOOLEAN, ("predicate",))
CMPF = _elementwise("arith.cmpf", R.BOOLEAN, ("predicate",))

_ARITH = """addf subf mulf divf remf negf maximumf minimumf maxnumf minnumf extf truncf sitofp uitofp fptosi fptoui
    bitcast ceildivui addui_extended mulsi_extended mului_extended scaling_extf scaling_truncf"""
_MATH = """absf absi acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh ctlz cttz ctpop erf erfc
    exp exp2 expm1 floor fma fpowi ipowi isfinite isinf isnan isnormal log log10 log1p log2 powf round roundeven
    rsqrt sin sinh sqrt tan tanh trunc sincos clampf"""
ROWS = [
    *(_elementwise(f"arith.{name}") for name in _ARITH.split()),
    *(_elementwise(f"math.{name}") for name in _MATH.split()),
    OperationRow("ub.unreachable", K.CONSTANT, pure=False),
]
