"""torch.cuda and torch.accelerator as they answer on a machine that has the target: one device, always idle."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.model.target import Target
from gluon_inspect.recording.child.fake import allocations
from gluon_inspect.recording.child.fake.memory import Memory
from gluon_inspect.recording.child.fake.properties import capability, device_name, memory_bytes, properties
from gluon_inspect.recording.child.fake.streams import (
    Event,
    Graph,
    Pool,
    Stream,
    capturing,
    graphed,
    on_stream,
    same_for_all,
)
from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")

_DO_NOTHING = (
    "_lazy_init",
    "_lazy_call",
    "init",
    "set_device",
    "synchronize",
    "ipc_collect",
    "set_stream",
    "empty_cache",
    "set_per_process_memory_fraction",
    "_sleep",
    "set_sync_debug_mode",
)
_ZERO = (
    "current_device",
    "_exchange_device",
    "_maybe_exchange_device",
    "get_sync_debug_mode",
    "utilization",
    "memory_usage",
    "current_blas_handle",
    "current_solver_handle",
)
_YES = (
    "is_available",
    "is_initialized",
    "is_bf16_supported",
    "_is_compiled",
)
_NO = (
    "can_device_access_peer",
    "is_current_stream_capturing",
)
_BINDINGS: dict[str, Any] = {
    "_cuda_getCurrentRawStream": 0,
    "_cuda_getDevice": 0,
    "_cuda_setDevice": None,
    "_cuda_getDeviceCount": 1,
    "_cuda_exchangeDevice": 0,
    "_cuda_maybeExchangeDevice": 0,
    "_cuda_synchronize": None,
    "_cuda_isCurrentStreamCapturing": False,
    "_cuda_emptyCache": None,
    "_cuda_setMemoryFraction": None,
    "_cuda_getMemoryFraction": 1.0,
    "_cuda_record_memory_history": None,
    "_cuda_record_memory_history_legacy": None,
    "_cuda_memorySnapshot": {"segments": [], "device_traces": [], "allocator_settings": {}},
    "_cuda_hostMemoryStats": {},
    "_cuda_getAllocatorBackend": "native",
    "_cuda_beginAllocateToPool": None,
    "_cuda_beginAllocateCurrentThreadToPool": None,
    "_cuda_endAllocateToPool": None,
    "_cuda_releasePool": None,
    "_cuda_clearCublasWorkspaces": None,
    "_cuda_resetAccumulatedMemoryStats": None,
    "_cuda_getArchFlags": "",
}
"""What a CPU build of torch._C does not have, and code bound before the patches calls."""
_ACCELERATOR: dict[str, Any] = {
    "getDeviceIndex": 0,
    "setDeviceIndex": None,
    "exchangeDevice": 0,
    "maybeExchangeDevice": 0,
    "synchronizeDevice": None,
    "emptyCache": None,
    "emptyHostCache": None,
    "isAllocatorInitialized": True,
    "resetAccumulatedStats": None,
    "setStream": None,
}


class Runtime:
    """torch.cuda.cudart(): every call succeeds."""

    class cudaError:
        """CUDA's error codes, as far as they occur."""

        success = 0

    cudaMemGetInfo: Callable[..., tuple[int, int]]

    def __init__(self, free: Callable[..., tuple[int, int]]) -> None:
        self.cudaMemGetInfo = free

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cuda"):
            raise AttributeError(name)
        return same_for_all(0)


def _fixed() -> dict[str, Any]:
    """One function a name: torch._dynamo refuses to know one object by two names."""
    answers: dict[str, Any] = {}
    for names, answer in ((_DO_NOTHING, None), (_ZERO, 0), (_YES, True), (_NO, False)):
        answers |= {name: same_for_all(answer) for name in names}
    return answers


def _answers(target: Target, free: Callable[..., tuple[int, int]]) -> dict[str, Any]:
    stream = Stream()
    facts = properties(target)
    runtime = Runtime(free)
    return _fixed() | {
        "device_count": same_for_all(1),
        "get_device_name": same_for_all(device_name(target)),
        "get_device_capability": same_for_all(capability(target)),
        "get_device_properties": same_for_all(facts),
        "_get_device_properties": same_for_all(facts),
        "get_arch_list": same_for_all([f"sm_{facts.major}{facts.minor}"]),
        "current_stream": same_for_all(stream),
        "default_stream": same_for_all(stream),
        "get_stream_from_external": same_for_all(stream),
        "stream": on_stream,
        "Stream": Stream,
        "ExternalStream": Stream,
        "Event": Event,
        "CUDAGraph": Graph,
        "graph": capturing,
        "MemPool": Pool,
        "use_mem_pool": capturing,
        "make_graphed_callables": graphed,
        "graph_pool_handle": same_for_all((0, 0)),
        "cudart": lambda: runtime,
        "mem_get_info": free,
        "clock_rate": same_for_all(facts.clock_rate // 1000),
        "temperature": same_for_all(40),
        "power_draw": same_for_all(100_000),
    }


def install(patches: Patches, target: Target, memory: Memory) -> None:
    """Replaces what torch asks a device for."""
    of_memory = allocations.answers(memory, memory_bytes(target))
    for name, answer in _answers(target, of_memory["free"]).items():
        patches.set(torch.cuda, name, answer)
        for module in (torch.cuda.memory, torch.cuda.graphs, torch.cuda.streams):
            if name in module.__dict__:
                patches.set(module, name, answer)
    bindings = {name: same_for_all(value) for name, value in _BINDINGS.items()} | {
        "_cuda_memoryStats": of_memory["statistics"],
        "_cuda_resetPeakMemoryStats": of_memory["reset"],
    }
    for name, value in bindings.items():
        patches.set(torch._C, name, value)
    _install_accelerator(patches, of_memory)
    _install_versions(patches, target)
    for name in ("range_push", "range_pop", "mark"):
        patches.set(torch.cuda.nvtx, name, same_for_all(None))


def _install_accelerator(patches: Patches, of_memory: dict[str, Callable[..., Any]]) -> None:
    facts = {"supported_dtypes": set[Any]()}
    answers = {name: same_for_all(value) for name, value in _ACCELERATOR.items()} | {
        "getAccelerator": same_for_all(torch.device("cuda")),
        "getStream": same_for_all(Stream()),
        "getDeviceCapability": same_for_all(facts),
        "getDeviceStats": of_memory["statistics"],
        "resetPeakStats": of_memory["reset"],
        "getMemoryInfo": of_memory["free"],
    }
    for name, answer in answers.items():
        if hasattr(torch._C, f"_accelerator_{name}"):
            patches.set(torch._C, f"_accelerator_{name}", answer)
    for name, kind in (("Stream", Stream), ("Event", Event)):
        if hasattr(torch, name):
            patches.set(torch, name, kind)


def _install_versions(patches: Patches, target: Target) -> None:
    if target.backend == "cuda":
        patches.set(torch.version, "cuda", torch.version.cuda or "12.8")
    else:
        patches.set(torch.version, "hip", torch.version.hip or "6.4")
        patches.set(torch.version, "cuda", None)
