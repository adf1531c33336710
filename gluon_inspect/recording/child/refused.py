"""Launches that Triton refuses for want of resources: what would have been launched is known all the same.

Triton makes its launcher, compares the kernel with the device's limits, and raises before any launch. The grid and
the arguments stand in the call of the kernel that failed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from gluon_inspect.recording.child.patches import Patches

Refused = Callable[[Any, tuple[int, int, int], dict[str, Any]], None]
"""Is told the kernel's function, the grid, and all arguments by name."""


def install(patches: Patches, refused: Refused) -> None:
    """Wraps JITFunction.run; the exception goes on as it came."""
    function: Any = importlib.import_module("triton.runtime.jit").JITFunction
    error: Any = importlib.import_module("triton.runtime.errors").OutOfResources
    original = function.run

    def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        try:
            return original(self, *args, grid=grid, warmup=warmup, **kwargs)
        except error:
            bound = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
            refused(self, _whole(grid, _with_defaults(self, bound)), bound)
            raise

    patches.set(function, "run", run)


def _with_defaults(function: Any, bound: Mapping[str, Any]) -> dict[str, Any]:
    """What a grid that is a function may ask for: constexprs that were not given among them."""
    parameters = function.signature.parameters
    given = {name: p.default for name, p in parameters.items() if p.default is not p.empty}
    return {**given, **bound}


def _whole(grid: Any, bound: Mapping[str, Any]) -> tuple[int, int, int]:
    found: Any = grid(bound) if callable(grid) else grid
    x, y, z = (*map(int, found), 1, 1)[:3]
    return x, y, z
