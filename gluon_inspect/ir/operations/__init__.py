"""What is known of each operation, one table a dialect; an operation without a row is parsed all the same."""

from __future__ import annotations

from functools import cache

from gluon_inspect.ir.operations import amdg, gluon, llvm, standard, tt, ttg, ttng
from gluon_inspect.ir.operations.kinds import OperationRow

_RENAMED = {"amdgpu.": "amdg.", "triton_gpu.": "ttg.", "triton_nvidia_gpu.": "ttng."}
"""Dialects that changed their name; the AMD one of Triton and the upstream one share `amdgpu`."""


@cache
def _rows() -> dict[str, OperationRow]:
    tables = (tt.ROWS, ttg.ROWS, ttng.ROWS, amdg.ROWS, gluon.ROWS, standard.ROWS, llvm.ROWS)
    return {row.name: row for table in tables for row in table}


def all_rows() -> tuple[OperationRow, ...]:
    """Every row, by dialect."""
    return tuple(_rows().values())


@cache
def lookup(name: str) -> OperationRow | None:
    """The row of an operation's full name, also under its dialect's earlier name; None where there is none."""
    rows = _rows()
    if name in rows:
        return rows[name]
    for old, new in _RENAMED.items():
        if name.startswith(old):
            return rows.get(new + name[len(old) :])
    return None
