"""torch.nn.Module.to and its kin for fake parameters, which torch would swap in place and cannot."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.fake.dispatch import FakeTensor
from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")


def install(patches: Patches) -> None:
    """Wraps Module._apply, through which `to`, `cuda`, `half` and `float` go."""
    patches.set(torch.nn.Module, "_apply", _wrap(torch.nn.Module._apply))


def _wrap(apply: Callable[..., Any]) -> Callable[..., Any]:
    def _apply(self: Any, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
        if recurse:
            for module in self.children():
                module._apply(fn)
        replaced = {name: _applied(p, fn) for name, p in self._parameters.items() if isinstance(p, FakeTensor)}
        for name in replaced:
            self._parameters[name] = None
        apply(self, fn, recurse=False)
        self._parameters.update(replaced)
        return self

    return _apply


def _applied(parameter: Any, fn: Callable[[Any], Any]) -> Any:
    with torch.no_grad():
        made = torch.nn.Parameter(fn(parameter), parameter.requires_grad)
        made.grad = None if parameter.grad is None else fn(parameter.grad)
    return made
