"""A device guard for CUDA where torch has none.

Slicing, `contiguous` and autograd ask c10's registry for the guard of a tensor's device; a CPU build of
torch has none for CUDA and fails (in one case by aborting). torch can install its own guard that does
nothing, but only over one that reports no devices: so an object whose every method answers 0 goes into
the registry first.
"""

from __future__ import annotations

import ctypes
import importlib
from pathlib import Path
from typing import Any

torch: Any = importlib.import_module("torch")

_REGISTRY = "_ZN3c104impl26device_guard_impl_registryE"
_CUDA = 1
"""c10::DeviceType::CUDA, the slot's index."""
_METHODS = 64
"""More virtual methods than DeviceGuardImplInterface has in any torch release."""

_answer_zero = ctypes.CFUNCTYPE(ctypes.c_long)(lambda: 0)
_vtable = (ctypes.c_void_p * _METHODS)(*[ctypes.cast(_answer_zero, ctypes.c_void_p).value] * _METHODS)
_no_devices = (ctypes.c_void_p * 1)(ctypes.addressof(_vtable))


def _slot() -> Any:
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
    return (ctypes.c_void_p * (_CUDA + 1)).in_dll(library, _REGISTRY)


class DeviceGuard:
    """Fills the registry's CUDA slot while entered; a slot that is filled already is torch's own business."""

    def __init__(self) -> None:
        self._registry = _slot()
        self._before: int | None = None

    def __enter__(self) -> DeviceGuard:
        self._before = self._registry[_CUDA]
        if self._before is None:
            self._registry[_CUDA] = ctypes.addressof(_no_devices)
        torch._C._ensureCUDADeviceGuardSet()
        return self

    def __exit__(self, *_: object) -> None:
        self._registry[_CUDA] = self._before
