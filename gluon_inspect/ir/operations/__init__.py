"""What is known of each operation, one table a dialect; one without a row is parsed all the same.

Rules are keyed by the rows themselves (`tt.LOAD`), so that a name stands in its dialect's file alone.
"""

from collections.abc import Iterator
from functools import cache
from types import ModuleType

from gluon_inspect.ir.operations import amdg, arith, builtin, gluon, llvm, scf, tt, ttg, ttng
from gluon_inspect.ir.operations.kinds import OPAQUE, OperationRow
from gluon_inspect.ir.operations.operands import operand as operand
from gluon_inspect.ir.operations.operands import operands_of as operands_of
from gluon_inspect.model.mlir import Operation, Value

DIALECTS = (tt, ttg, ttng, amdg, gluon, arith, scf, builtin, llvm)
_RENAMED = {"amdgpu.": "amdg.", "triton_gpu.": "ttg.", "triton_nvidia_gpu.": "ttng."}
"""Dialects that changed their name; the AMD one of Triton and the upstream one share `amdgpu`."""


def rows_in(dialect: ModuleType) -> Iterator[OperationRow]:
    """The rows with a name in the file, which rules speak of, and those in its list."""
    yield from (each for each in vars(dialect).values() if isinstance(each, OperationRow))
    yield from dialect.ROWS


_ROWS: dict[str, OperationRow] = {row.name: row for dialect in DIALECTS for row in rows_in(dialect)}


def all_rows() -> tuple[OperationRow, ...]:
    """Every row, by dialect."""
    return tuple(_ROWS.values())


@cache
def lookup(name: str) -> OperationRow | None:
    """The row of an operation's full name, also under its dialect's earlier name; None where there is none."""
    if name in _ROWS:
        return _ROWS[name]
    for old, new in _RENAMED.items():
        if name.startswith(old):
            return _ROWS.get(new + name[len(old) :])
    return None


def row_of(op: Operation) -> OperationRow:
    """What is known of an operation; `OPAQUE` where that is nothing."""
    return lookup(op.name) or OPAQUE


def predicate(op: Operation) -> Value | None:
    """What decides whether an operation that is no global access takes effect; None: it always does."""
    role = row_of(op).predicate
    return operand(op, role) if role else None
