"""torch.cuda as it answers on a machine that has the target: queries, streams, events, graphs."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import Any

from gluon_inspect.model.target import Target
from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")

_MEMORY_BYTES = 80 << 30
"""What a script is told of the device's memory: enough for what fits any current card."""


class Stream:
    """A stream that has always finished."""

    cuda_stream = 0
    stream_id = 0
    device_index = 0
    device_type = 1

    def __init__(self, *_: Any, **__: Any) -> None:
        self.device = torch.device("cuda", 0)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def synchronize(self) -> None:
        """Nothing is ever outstanding."""

    def wait_stream(self, _: Any) -> None:
        """Nothing is ever outstanding."""

    def wait_event(self, _: Any) -> None:
        """Nothing is ever outstanding."""

    def record_event(self, event: Any = None) -> Any:
        """An event that has happened."""
        return event or Event()

    def query(self) -> bool:
        """Whether all work is done."""
        return True


class Event:
    """An event that has happened; 1 ms lies between any two."""

    cuda_event = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        return None

    def record(self, *_: Any) -> None:
        """Happens at once."""

    def wait(self, *_: Any) -> None:
        """Has happened."""

    def synchronize(self) -> None:
        """Has happened."""

    def query(self) -> bool:
        """Has happened."""
        return True

    def elapsed_time(self, _: Any) -> float:
        """Milliseconds, the same for everything: nothing was timed."""
        return 1.0


class Graph:
    """A graph whose work was recorded while it was captured; replaying it adds nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        return None

    def capture_begin(self, *_: Any, **__: Any) -> None:
        """Launches are recorded as ever."""

    def capture_end(self) -> None:
        """Launches are recorded as ever."""

    def replay(self) -> None:
        """Recorded already."""

    def reset(self) -> None:
        """Holds nothing."""

    def pool(self) -> tuple[int, int]:
        """A handle that means nothing."""
        return (0, 0)


@contextlib.contextmanager
def _graph(*_: Any, **__: Any) -> Generator[None]:
    yield


@contextlib.contextmanager
def _stream(stream: Any = None) -> Generator[Any]:
    yield stream


def _constant(value: Any) -> Callable[..., Any]:
    def answer(*_: Any, **__: Any) -> Any:
        return value

    return answer


def capability(target: Target) -> tuple[int, int]:
    """The compute capability torch reports: of "cuda:120" (12, 0); of AMD's "gfx942" (9, 4)."""
    if target.backend == "cuda":
        number = int(target.name.split(":")[1])
        return number // 10, number % 10
    digits = target.name.split("gfx")[1]
    return int(digits[:-2]), int(digits[-2], 16)


def properties(target: Target) -> Any:
    """torch.cuda.get_device_properties of the target."""
    major, minor = capability(target)
    return SimpleNamespace(
        name=target.reference_device,
        major=major,
        minor=minor,
        total_memory=_MEMORY_BYTES,
        multi_processor_count=target.sms,
        warp_size=target.warp_size,
        max_threads_per_multi_processor=target.max_warps_per_sm * target.warp_size,
        max_threads_per_block=target.max_threads_per_cta,
        regs_per_multiprocessor=target.registers_per_sm,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=target.shared_bytes_per_cta,
        shared_memory_per_multiprocessor=target.shared_bytes_per_sm,
        L2_cache_size=target.l2_bytes,
        gcnArchName=target.name.split(":")[1] if target.backend == "hip" else "",
        clock_rate=int(target.clock_hz // 1000),
        is_integrated=False,
        is_multi_gpu_board=False,
        uuid="00000000-0000-0000-0000-000000000000",
        pci_bus_id=0,
    )


_NO_STATISTICS: dict[str, int] = {}
_DO_NOTHING = (
    "_lazy_init",
    "_lazy_call",
    "init",
    "set_device",
    "synchronize",
    "ipc_collect",
    "empty_cache",
    "set_stream",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "reset_peak_memory_stats",
    "reset_max_memory_allocated",
    "reset_accumulated_memory_stats",
)
_ZERO = (
    "current_device",
    "_exchange_device",
    "_maybe_exchange_device",
    "initial_seed",
    "memory_allocated",
    "max_memory_allocated",
    "memory_reserved",
    "max_memory_reserved",
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
}
"""What a CPU build of torch._C does not have, and code bound before the patches calls."""


def _rng_state(*_: Any, **__: Any) -> Any:
    return torch.get_rng_state()


def _fixed() -> dict[str, Any]:
    """One function a name: torch._dynamo refuses to know one object by two names."""
    answers: dict[str, Any] = {}
    for names, answer in ((_DO_NOTHING, None), (_ZERO, 0), (_YES, True), (_NO, False)):
        answers |= {name: _constant(answer) for name in names}
    return answers


def _answers(target: Target) -> dict[str, Any]:
    stream = Stream()
    facts = properties(target)
    return _fixed() | {
        "device_count": _constant(1),
        "get_device_name": _constant(target.reference_device),
        "get_device_capability": _constant(capability(target)),
        "get_device_properties": _constant(facts),
        "_get_device_properties": _constant(facts),
        "get_arch_list": _constant([f"sm_{facts.major}{facts.minor}"]),
        "current_stream": _constant(stream),
        "default_stream": _constant(stream),
        "stream": _stream,
        "Stream": Stream,
        "ExternalStream": Stream,
        "Event": Event,
        "CUDAGraph": Graph,
        "graph": _graph,
        "graph_pool_handle": _constant((0, 0)),
        "mem_get_info": _constant((_MEMORY_BYTES, _MEMORY_BYTES)),
        "memory_stats": _constant(_NO_STATISTICS),
        "clock_rate": _constant(facts.clock_rate // 1000),
    }


def install(patches: Patches, target: Target) -> None:
    """Replaces what torch.cuda asks a device for."""
    for name, answer in _answers(target).items():
        patches.set(torch.cuda, name, answer)
    for name, value in _BINDINGS.items():
        patches.set(torch._C, name, _constant(value))
    for name, answer in {"get_rng_state": _rng_state, "set_rng_state": _constant(None)}.items():
        patches.set(torch.cuda, name, answer)
        patches.set(torch.cuda.random, name, answer)
    if target.backend == "cuda":
        patches.set(torch.version, "cuda", torch.version.cuda or "12.8")
    else:
        patches.set(torch.version, "hip", torch.version.hip or "6.4")
        patches.set(torch.version, "cuda", None)
    for name in ("range_push", "range_pop", "mark"):
        patches.set(torch.cuda.nvtx, name, _constant(None))
