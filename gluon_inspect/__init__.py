"""What a Triton Gluon kernel costs, at your Python line, without a GPU.

The names of `__all__` are loaded from `gluon_inspect.api` when first asked for, so that importing the package
costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gluon_inspect.api import Access as Access
    from gluon_inspect.api import Capture as Capture
    from gluon_inspect.api import CompiledKernel as CompiledKernel
    from gluon_inspect.api import Confidence as Confidence
    from gluon_inspect.api import Conversion as Conversion
    from gluon_inspect.api import Direction as Direction
    from gluon_inspect.api import Explained as Explained
    from gluon_inspect.api import Finding as Finding
    from gluon_inspect.api import InspectError as InspectError
    from gluon_inspect.api import KernelReport as KernelReport
    from gluon_inspect.api import Launch as Launch
    from gluon_inspect.api import Location as Location
    from gluon_inspect.api import Metric as Metric
    from gluon_inspect.api import ModelStatus as ModelStatus
    from gluon_inspect.api import Module as Module
    from gluon_inspect.api import Operation as Operation
    from gluon_inspect.api import Proposal as Proposal
    from gluon_inspect.api import Report as Report
    from gluon_inspect.api import Rule as Rule
    from gluon_inspect.api import Severity as Severity
    from gluon_inspect.api import Space as Space
    from gluon_inspect.api import Table as Table
    from gluon_inspect.api import Target as Target
    from gluon_inspect.api import compare_layouts as compare_layouts
    from gluon_inspect.api import early_config_prune as early_config_prune
    from gluon_inspect.api import explain as explain
    from gluon_inspect.api import inspect as inspect
    from gluon_inspect.api import linear_layout as linear_layout
    from gluon_inspect.api import load as load
    from gluon_inspect.api import parse_mlir as parse_mlir
    from gluon_inspect.api import perf_model as perf_model
    from gluon_inspect.api import record as record
    from gluon_inspect.api import rules as rules
    from gluon_inspect.api import targets as targets

__all__ = [
    "Access",
    "Capture",
    "CompiledKernel",
    "Confidence",
    "Conversion",
    "Direction",
    "Explained",
    "Finding",
    "InspectError",
    "KernelReport",
    "Launch",
    "Location",
    "Metric",
    "ModelStatus",
    "Module",
    "Operation",
    "Proposal",
    "Report",
    "Rule",
    "Severity",
    "Space",
    "Table",
    "Target",
    "compare_layouts",
    "early_config_prune",
    "explain",
    "inspect",
    "linear_layout",
    "load",
    "parse_mlir",
    "perf_model",
    "record",
    "rules",
    "targets",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("gluon_inspect.api"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
