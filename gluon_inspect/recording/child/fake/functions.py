"""Calls that never reach the dispatcher: addresses, printing, devices given as a number."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.fake.dispatch import FakeTensor
from gluon_inspect.recording.child.fake.memory import Memory
from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")
_overrides: Any = importlib.import_module("torch.overrides")
_Mode: Any = _overrides.TorchFunctionMode


def install_methods(patches: Patches, memory: Memory) -> None:
    """What a fake tensor answers by itself, wherever it is asked (inside torch functions too)."""

    def as_list(tensor: Any) -> Any:
        return _known_or_zeros(memory, tensor).tolist()

    def as_numpy(tensor: Any, *_: Any, **__: Any) -> Any:
        if tensor.is_cuda:
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")
        return _known_or_zeros(memory, tensor).numpy()

    def show(tensor: Any, **_: Any) -> str:
        shadow = memory.shadow(tensor)
        if shadow is None:
            return f"tensor(..., device='{tensor.device}', size={tuple(tensor.shape)}, dtype={tensor.dtype})"
        return f"{repr(shadow)[:-1]}, device='{tensor.device}')"

    def spell(tensor: Any, spec: str) -> str:
        return format(tensor.item(), spec) if tensor.dim() == 0 else object.__format__(str(tensor), spec)

    methods: dict[str, Callable[..., Any]] = {
        "data_ptr": memory.address,
        "tolist": as_list,
        "numpy": as_numpy,
        "__array__": as_numpy,
        "record_stream": _nothing,
        "is_pinned": _never,
        "__repr__": show,
        "__format__": spell,
    }
    for name, method in methods.items():
        patches.set(FakeTensor, name, _method(method))


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plain function, so that it binds where a bound method of ours would not."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    return method


def _known_or_zeros(memory: Memory, tensor: Any) -> Any:
    shadow = memory.shadow(tensor)
    return torch.zeros(tuple(tensor.shape), dtype=tensor.dtype, device="cpu") if shadow is None else shadow


def _nothing(*_: Any) -> None:
    return None


def _never(*_: Any) -> bool:
    return False


def _to_cuda(tensor: Any, device: Any = None, *_: Any, **__: Any) -> Any:
    return tensor.to(_device(0 if device is None else device))


def _itself(tensor: Any, *_: Any) -> Any:
    return tensor


class CudaFunctions(_Mode):
    """Turns what only a CUDA build of torch takes into what every build takes."""

    def __init__(self) -> None:
        _Mode.__init__(self)
        tensor = torch.Tensor
        self._handlers: dict[Any, Callable[..., Any]] = {
            tensor.cuda: _to_cuda,
            tensor.pin_memory: _itself,
        }

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if handler := self._handlers.get(func):
            return handler(*args, **kwargs)
        if _is_index(kwargs.get("device")):
            kwargs = {**kwargs, "device": _device(kwargs["device"])}
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}
        if func is torch.Tensor.to and len(args) > 1 and _is_index(args[1]):
            args = (args[0], _device(args[1]), *args[2:])
        return func(*args, **kwargs)


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _device(value: Any) -> Any:
    return torch.device("cuda", value) if _is_index(value) else value
