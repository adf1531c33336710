"""The builtin, func, arith, math, scf, cf, ub and gpu dialects as far as kernels use them."""

from __future__ import annotations

from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import plain

_ARITH = """addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi andi ori xori shli shrsi shrui
    maxsi maxui minsi minui addf subf mulf divf remf negf maximumf minimumf maxnumf minnumf extsi extui trunci
    extf truncf sitofp uitofp fptosi fptoui index_cast index_castui bitcast addui_extended mulsi_extended
    mului_extended scaling_extf scaling_truncf"""
_MATH = """absf absi acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh ctlz cttz ctpop erf erfc
    exp exp2 expm1 floor fma fpowi ipowi isfinite isinf isnan isnormal log log10 log1p log2 powf round roundeven
    rsqrt sin sinh sqrt tan tanh trunc sincos clampf"""


def _of(dialect: str, names: str) -> str:
    return " ".join(f"{dialect}.{name}" for name in names.split())


ROWS = [
    OperationRow("builtin.module", K.MODULE, symbol="sym_name", isolated=True, regions=True, dialect="builtin"),
    OperationRow("builtin.unrealized_conversion_cast", K.CONVERSION),
    OperationRow("func.func", K.FUNCTION, symbol="sym_name", isolated=True, regions=True, dialect="func"),
    OperationRow("func.return", K.CONTROL),
    OperationRow("func.call", K.CALL),
    *plain(K.ARITHMETIC, _of("arith", _ARITH)),
    *plain(K.ARITHMETIC, _of("math", _MATH)),
    OperationRow("arith.select", K.ARITHMETIC, R.LAST),
    OperationRow("arith.cmpi", K.ARITHMETIC, R.BOOLEAN, words=("predicate",)),
    OperationRow("arith.cmpf", K.ARITHMETIC, R.BOOLEAN, words=("predicate",)),
    OperationRow("arith.constant", K.CONSTANT, R.LITERAL, literal="value"),
    *plain(K.CONSTANT, "ub.poison ub.unreachable"),
    OperationRow("scf.for", K.CONTROL, terminator="scf.yield", regions=True),
    OperationRow("scf.if", K.CONTROL, terminator="scf.yield", regions=True),
    OperationRow("scf.while", K.CONTROL, regions=True),
    OperationRow("scf.execute_region", K.CONTROL, regions=True),
    OperationRow("scf.index_switch", K.CONTROL, regions=True),
    *plain(K.CONTROL, "scf.yield scf.condition cf.br cf.cond_br cf.switch"),
    OperationRow("cf.assert", K.DEBUG, words=("msg",)),
    OperationRow("gpu.module", K.MODULE, symbol="sym_name", isolated=True, regions=True),
    OperationRow("gpu.func", K.FUNCTION, symbol="sym_name", isolated=True, regions=True),
    OperationRow("gpu.return", K.CONTROL),
    OperationRow("gpu.barrier", K.BARRIER),
    *[
        OperationRow(name, K.QUERY, R.FIXED, "index", words=("dimension",))
        for name in ("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim")
    ],
]
