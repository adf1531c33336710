"""The seam: a Triton driver that names the target, loads nothing and records launches instead of making them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.assembly.cubin import looks_like_cubin, parse_cubin
from gluon_inspect.model.target import Target
from gluon_inspect.recording.child.fake.properties import BUS_BITS, memory_clock_khz

_triton_target: Any = importlib.import_module("triton.backends.compiler").GPUTarget
_driver_modules = {"cuda": "triton.backends.nvidia.driver", "hip": "triton.backends.amd.driver"}
_driver_classes = {"cuda": "CudaDriver", "hip": "HIPDriver"}


class DeviceUtils:
    """What Triton asks its device library for, answered from the target's numbers."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._handles = 0

    def load_binary(self, name: str, binary: bytes, _shared: int, _device: int) -> tuple[int, int, int, int, int]:
        """(module, function, registers a thread, spills, most threads a CTA)."""
        self._handles += 1
        return self._handles, self._handles, _registers(binary, name), 0, self._target.max_threads_per_cta

    def unload_module(self, _module: int) -> None:
        """Nothing was loaded."""

    def get_device_properties(self, _device: int) -> dict[str, Any]:
        """The limits that decide whether a kernel can run at all."""
        target = self._target
        return {
            "max_shared_mem": target.shared_bytes_per_cta,
            "max_num_regs": target.registers_per_sm,
            "multiprocessor_count": target.sms,
            "warpSize": target.warp_size,
            "sm_clock_rate": int(target.clock_hz // 1000),
            "mem_clock_rate": memory_clock_khz(target),
            "mem_bus_width": BUS_BITS,
            "arch": target.name.split(":")[1],
        }

    def get_current_device(self) -> int:
        """The only one."""
        return 0

    def set_current_device(self, _device: int) -> None:
        """The only one."""

    def get_default_stream(self, _device: int) -> int:
        """The null stream."""
        return 0

    def is_stream_capturing(self, _stream: int) -> bool:
        """Never."""
        return False

    def cuOccupancyMaxActiveClusters(self, *_: Any) -> int:
        """One cluster an SM: enough for persistent kernels to choose a grid."""
        return self._target.sms

    def set_printf_fifo_size(self, _size: int) -> None:
        """Nothing prints."""


def _registers(binary: bytes, name: str) -> int:
    """Registers a thread, from which scripts size their grids; 0 where the binary does not say."""
    if not looks_like_cubin(binary):
        return 0
    found = {function.name: function.registers for function in parse_cubin(binary).functions}
    return found.get(name) or 0


def triton_target(target: Target) -> Any:
    """Triton's own description of the target."""
    architecture: int | str = target.name.split(":")[1]
    if target.backend == "cuda":
        architecture = int(architecture)
    return _triton_target(target.backend, architecture, target.warp_size)


def make_driver(target: Target, launcher: Callable[..., Any], benchmarker: Callable[..., Any]) -> Any:
    """A driver of the target's own class (Inductor asks for it), none of whose parts touches a device."""
    base: Any = getattr(importlib.import_module(_driver_modules[target.backend]), _driver_classes[target.backend])
    described, capability = triton_target(target), _capability(target)
    methods: dict[str, Any] = {
        "__init__": _answer(None),
        "get_current_target": _answer(described),
        "get_current_device": _answer(0),
        "set_current_device": _answer(None),
        "get_current_stream": _answer(0),
        "get_device_capability": _answer(capability),
        "get_benchmarker": _answer(benchmarker),
        "is_active": staticmethod(_answer(True)),
    }
    driver = type(f"Recording{base.__name__}", (base,), methods)()
    driver.utils = DeviceUtils(target)
    driver.launcher_cls = launcher
    driver.is_recorder = True
    return driver


def _answer(value: Any) -> Callable[..., Any]:
    def method(*_: Any, **__: Any) -> Any:
        return value

    return method


def _capability(target: Target) -> tuple[int, int]:
    number = int("".join(filter(str.isdigit, target.name.split(":")[1])))
    return divmod(number, 10)
