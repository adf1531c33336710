"""What a Triton Gluon kernel costs, at your Python line, without a GPU.

The names below are loaded when first asked for, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gluon_inspect.ir.text import parse_mlir as parse_mlir
    from gluon_inspect.workflow.inspection import inspect as inspect
    from gluon_inspect.workflow.layout_lookup import linear_layout as linear_layout

_EXPORTS = {
    "inspect": "gluon_inspect.workflow.inspection",
    "linear_layout": "gluon_inspect.workflow.layout_lookup",
    "parse_mlir": "gluon_inspect.ir.text",
}

__all__ = ["inspect", "linear_layout", "parse_mlir"]


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_EXPORTS])
