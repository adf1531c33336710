"""Operators that Python code registered: the author's body for CUDA runs, with the recording's tensors.

torch keeps what was registered through torch.library by namespace, operator and dispatch key. A kernel in C++ for
CUDA needs a device and cannot run here.
"""

from __future__ import annotations

import importlib
from typing import Any

torch: Any = importlib.import_module("torch")
_library: Any = importlib.import_module("torch.library")

_CUDA_KEYS = ("CUDA", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
_CPU_KEYS = ("CPU", *_CUDA_KEYS[1:])
_CUDA = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)
_TORCHS_OWN = ("aten", "prims", "prim", "_inductor_test", "inductor", "quantized", "debugprims", "rngprims")


def _registered(func: Any, keys: tuple[str, ...]) -> bool:
    namespace, name = func._schema.name.split("::")
    overload = func._schema.overload_name
    names = (f"{name}.{overload}",) if overload else (name, f"{name}.default")
    return any(f"{namespace}/{each}/{key}" in _library._impls for each in names for key in keys)


def has_body(func: Any) -> bool:
    """Whether Python code stands behind an operator for CUDA tensors.

    Of torch's own operators only a registration for CUDA counts: torch itself registers Python under others.
    """
    return _registered(func, _CUDA_KEYS[:1] if func.namespace in _TORCHS_OWN else _CUDA_KEYS)


def run_body(func: Any, args: Any, kwargs: Any) -> Any:
    """Calls what the dispatcher would call for CUDA tensors."""
    return func.redispatch(_CUDA, *args, **kwargs)


def computes_on_cpu(func: Any) -> bool:
    """Whether running an operator on the CPU tells contents: Python registered for it launches kernels itself."""
    return not _registered(func, _CPU_KEYS)


def is_torchs_own(func: Any) -> bool:
    """Whether torch itself defines an operator."""
    return func.namespace in _TORCHS_OWN


def body_of_higher_order(operator: Any) -> Any:
    """What a higher-order operator does eagerly; None where torch has it for tracing only."""
    keys = torch._C.DispatchKey
    kernels = operator.py_kernels
    return next((kernels[key] for key in (keys.CUDA, keys.CompositeExplicitAutograd) if key in kernels), None)
