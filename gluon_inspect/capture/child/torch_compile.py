"""torch.compile inside a recorded script: under fake tensors it would fall back to eager without a word."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.capture.child.madeup import MadeUp
from gluon_inspect.capture.child.patches import Patches

torch: Any = importlib.import_module("torch")

REMARK = (
    "torch.compile was asked for, but its functions ran eagerly: Inductor's kernels are not here "
    "(save its output with TORCH_LOGS=output_code and record that file)"
)


def install(patches: Patches, made_up: MadeUp) -> None:
    """Makes torch.compile the identity, and says so when it is used."""

    def compile(model: Any = None, **_: Any) -> Any:
        made_up.remark(REMARK)
        return model if model is not None else _identity

    patches.set(torch, "compile", compile)


def _identity(function: Callable[..., Any]) -> Callable[..., Any]:
    return function
