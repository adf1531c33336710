"""arith.cmpi predicates, on Python integers and NumPy arrays alike."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
    "ult": operator.lt,
    "ule": operator.le,
    "ugt": operator.gt,
    "uge": operator.ge,
}
PREDICATES = frozenset(_OPERATORS)


def compare(predicate: str, left: Any, right: Any) -> Any:
    """`left predicate right`; unsigned predicates expect non-negative operands. KeyError: no such predicate."""
    return _OPERATORS[predicate](left, right)
