"""What Inductor's generated files call: its device interface, its allocator, its benchmark."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")

_FROM_TORCH_CUDA = {
    "current_device": "current_device",
    "set_device": "set_device",
    "device_count": "device_count",
    "stream": "stream",
    "current_stream": "current_stream",
    "set_stream": "set_stream",
    "synchronize": "synchronize",
    "get_device_properties": "get_device_properties",
    "exchange_device": "_exchange_device",
    "maybe_exchange_device": "_maybe_exchange_device",
    "memory_allocated": "memory_allocated",
    "is_bf16_supported": "is_bf16_supported",
    "Event": "Event",
    "Stream": "Stream",
}
"""CudaInterface's attributes, bound to torch.cuda's functions before these were replaced."""


def install_interface(patches: Patches) -> None:
    """Points torch._dynamo's interface at the fake device."""
    interface: Any = importlib.import_module("torch._dynamo.device_interface").CudaInterface
    for name, answer in _FROM_TORCH_CUDA.items():
        replacement = getattr(torch.cuda, answer)
        patches.set(interface, name, replacement if isinstance(replacement, type) else staticmethod(replacement))
    patches.set(interface, "get_raw_stream", staticmethod(torch._C._cuda_getCurrentRawStream))


def install(patches: Patches) -> None:
    """Replaces the allocator and the checks that generated code calls in C++."""
    guards = torch._C._dynamo.guards
    patches.set(guards, "_empty_strided_cuda", _empty_strided_cuda)
    patches.set(guards, "_reinterpret_tensor", _reinterpret_tensor)
    patches.set(guards, "copy_if_misaligned", _itself)
    patches.set(guards, "assert_alignment", _nothing)


def install_benchmark(patches: Patches, all_configs: bool) -> None:
    """Makes a generated file's benchmark call its function once, and its tuners take the first configuration."""
    utils: Any = importlib.import_module("torch._inductor.utils")
    patches.set(utils, "print_performance", _run_once)
    if not all_configs:
        heuristics: Any = importlib.import_module("torch._inductor.runtime.triton_heuristics")
        tuner = heuristics.CachingAutotuner
        patches.set(tuner, "precompile", _of_the_first(tuner.precompile))


def _itself(tensor: Any, *_: Any) -> Any:
    """Generated code checks addresses in C++, where a fake tensor has none."""
    return tensor


def _nothing(*_: Any) -> None:
    return None


def _run_once(model: Callable[..., Any], example_inputs: Any = (), *_: Any, **__: Any) -> float:
    model(*example_inputs)
    return 1.0


def _of_the_first(precompile: Callable[..., Any]) -> Callable[..., Any]:
    """Nothing can be timed, so a kernel is compiled for its first configuration only."""

    @functools.wraps(precompile)
    def compile_one(tuner: Any, *args: Any, **kwargs: Any) -> Any:
        tuner.configs = tuner.configs and tuner.configs[:1]
        return precompile(tuner, *args, **kwargs)

    return compile_one


def _empty_strided_cuda(size: Any, stride: Any, dtype: Any) -> Any:
    return torch.empty_strided(size, stride, dtype=dtype, device="cuda")


def _reinterpret_tensor(tensor: Any, size: Any, stride: Any, offset: int = 0) -> Any:
    return torch.as_strided(tensor, size, stride, tensor.storage_offset() + offset)
