"""Calls made one by one: what one of them raises is written to the file that CALLS names, and the next is made."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import torch


def tensor(*shape: int, dtype: Any = torch.float16, grad: bool = False) -> Any:
    """A random tensor on the GPU."""
    return torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=grad)


def run(calls: Mapping[str, Callable[[], Any]]) -> None:
    """Makes the calls; a result that has a gradient is differentiated as well. ONLY=name makes one."""
    for name, call in calls.items():
        if os.environ.get("ONLY", name) != name:
            continue
        try:
            _backward(call())
            _tell(name, "")
        except Exception as error:  # noqa: BLE001 (a library may raise anything: it is counted)
            traceback.print_exc(limit=-4, file=sys.stderr)
            _tell(name, f"{type(error).__name__}: {error}")


def _backward(result: Any) -> None:
    outputs = result if isinstance(result, tuple | list) else (result,)
    for output in outputs:
        if isinstance(output, torch.Tensor) and output.requires_grad and output.grad_fn is not None:
            output.float().sum().backward()
            return


def _tell(name: str, error: str) -> None:
    with open(os.environ.get("CALLS", os.devnull), "a", encoding="utf-8") as file:
        file.write(json.dumps([name, error]) + "\n")
