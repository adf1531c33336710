"""The clocks of the GPU that is here, read through NVIDIA's management library and never set."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from gluon_inspect.model.report import Clock

_LIBRARY = "libnvidia-ml.so.1"
_SM, _MEMORY = 1, 2
"""NVML_CLOCK_SM and NVML_CLOCK_MEM of nvmlClockType_t (NVML reference)."""

Reading = tuple[int | None, int | None]
"""MHz of the SMs and of the memory; None where it is not known."""
UNKNOWN: Reading = (None, None)


def clock_reader(torch: Any, load: Callable[[str], Any] = ctypes.CDLL) -> Callable[[], Reading]:
    """What reads the clocks of torch's device; without the library (AMD too), they are unknown."""
    uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    try:
        library = load(_LIBRARY)
    except OSError:
        return lambda: UNKNOWN
    device = ctypes.c_void_p()
    name = f"GPU-{uuid}".encode()
    if uuid is None or library.nvmlInit_v2() or library.nvmlDeviceGetHandleByUUID(name, ctypes.byref(device)):
        return lambda: UNKNOWN
    return lambda: (_megahertz(library, device, _SM), _megahertz(library, device, _MEMORY))


def _megahertz(library: Any, device: ctypes.c_void_p, kind: int) -> int | None:
    value = ctypes.c_uint()
    return None if library.nvmlDeviceGetClockInfo(device, kind, ctypes.byref(value)) else value.value


def between(before: Reading, after: Reading) -> tuple[Clock, Clock]:
    """The SMs' and the memory's clock around a measurement."""
    return Clock(before[0], after[0]), Clock(before[1], after[1])
