"""Statistics of the caching allocator: what is alive when somebody asks, and the most that was seen so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.fake.memory import Memory

_IN_BYTES = ("allocated_bytes", "active_bytes", "requested_bytes", "reserved_bytes")
_COUNTED = ("allocation", "active")
_NOTHING = ("segment", "inactive_split", "inactive_split_bytes")
_OVERSIZE = ("oversize_allocations", "oversize_segments")
_SINGLE = ("num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc", "num_device_free")


def _statistic(current: int, peak: int, allocated: int) -> dict[str, int]:
    return {"current": current, "peak": peak, "allocated": allocated, "freed": allocated - current}


def _pools(statistic: dict[str, int]) -> dict[str, dict[str, int]]:
    return {"all": statistic, "large_pool": dict(statistic), "small_pool": _statistic(0, 0, 0)}


def nested(memory: Memory) -> dict[str, Any]:
    """As torch's allocator gives them."""
    counts, size = memory.live()
    statistics: dict[str, Any] = {
        name: _pools(_statistic(size, memory.peak_bytes, memory.allocated_bytes)) for name in _IN_BYTES
    }
    statistics |= {name: _pools(_statistic(counts, counts, memory.allocations)) for name in _COUNTED}
    statistics |= {name: _pools(_statistic(0, 0, 0)) for name in _NOTHING}
    statistics |= {name: _statistic(0, 0, 0) for name in _OVERSIZE}
    statistics |= dict.fromkeys(_SINGLE, 0)
    return statistics | {"max_split_size": -1}


def answers(memory: Memory, total_bytes: int) -> dict[str, Callable[..., Any]]:
    """The functions behind torch.cuda.memory and torch.accelerator.memory."""

    def statistics(*_: Any, **__: Any) -> Any:
        return nested(memory)

    def free(*_: Any, **__: Any) -> tuple[int, int]:
        return max(total_bytes - memory.live()[1], 0), total_bytes

    def reset(*_: Any, **__: Any) -> None:
        memory.reset_peak()

    return {"statistics": statistics, "free": free, "reset": reset}
