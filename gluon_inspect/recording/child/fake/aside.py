"""The recorder's own computing on the CPU, unseen by the script's modes, transforms and default device."""

from __future__ import annotations

import importlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

torch: Any = importlib.import_module("torch")
_dispatch: Any = importlib.import_module("torch.utils._python_dispatch")

_PYTHON = torch._C.DispatchKeySet(torch._C.DispatchKey.Python) | torch._C.DispatchKeySet(
    torch._C.DispatchKey.PythonTLSSnapshot
)


@contextmanager
def aside() -> Generator[None]:
    """Only real CPU tensors may be computed with inside."""
    with (
        torch._C.DisableTorchFunction(),
        torch._C._DisableFuncTorch(),
        _dispatch._disable_current_modes(),
        torch._C._ExcludeDispatchKeyGuard(_PYTHON),
        torch.no_grad(),
    ):
        yield
