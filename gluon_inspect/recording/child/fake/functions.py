"""Calls that never reach the dispatcher: addresses, printing, devices given as a number."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.fake import unknown
from gluon_inspect.recording.child.fake.aside import aside
from gluon_inspect.recording.child.fake.dispatch import FakeTensor
from gluon_inspect.recording.child.fake.memory import Memory
from gluon_inspect.recording.child.fake.pinned import Pinned
from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")
_overrides: Any = importlib.import_module("torch.overrides")
_Mode: Any = _overrides.TorchFunctionMode
_rebuild: Any = importlib.import_module("torch._utils")._rebuild_device_tensor_from_cpu_tensor


def install_methods(patches: Patches, memory: Memory, made_up: MadeUp) -> None:
    """What a fake tensor answers by itself, wherever it is asked (inside torch functions too)."""

    def contents(tensor: Any) -> Any:
        """Known contents, or what stands in for them, which is said."""
        shadow = memory.shadow(tensor)
        if shadow is not None:
            return shadow
        made_up.add(unknown.LISTS)
        typical = memory.typical(tensor)
        with aside():
            return unknown.plain(tensor) if typical is None else typical

    def as_list(tensor: Any) -> Any:
        values = contents(tensor)
        with aside():
            return values.tolist()

    def as_numpy(tensor: Any, *_: Any, **__: Any) -> Any:
        if tensor.is_cuda:
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")
        values = contents(tensor)
        with aside():
            return values.numpy()

    def show(tensor: Any, **_: Any) -> str:
        shadow = memory.shadow(tensor)
        if shadow is None:
            return f"tensor(..., device='{tensor.device}', size={tuple(tensor.shape)}, dtype={tensor.dtype})"
        with aside():
            return f"{repr(shadow)[:-1]}, device='{tensor.device}')"

    def spell(tensor: Any, spec: str) -> str:
        return format(tensor.item(), spec) if tensor.dim() == 0 else object.__format__(str(tensor), spec)

    def reduced(tensor: Any, _: Any) -> Any:
        """As torch pickles tensors of devices that it has no storage of; torch alone reads it back."""
        with aside():
            data = contents(tensor).clone()
        return _rebuild, (data, tensor.dtype, str(tensor.device), tensor.requires_grad)

    methods: dict[str, Callable[..., Any]] = {
        "data_ptr": memory.address,
        "tolist": as_list,
        "numpy": as_numpy,
        "__array__": as_numpy,
        "record_stream": _nothing,
        "is_pinned": _never,
        "__repr__": show,
        "__format__": spell,
        "__reduce_ex__": reduced,
    }
    for name, method in methods.items():
        patches.set(FakeTensor, name, _method(method))


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plain function, so that it binds where a bound method of ours would not."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    return method


def _nothing(*_: Any) -> None:
    return None


def _never(*_: Any) -> bool:
    return False


def _to_cuda(tensor: Any, device: Any = None, *_: Any, **__: Any) -> Any:
    return tensor.to(_device(0 if device is None else device))


class CudaFunctions(_Mode):
    """Turns what only a CUDA build of torch takes into what every build takes."""

    def __init__(self, pinned: Pinned) -> None:
        _Mode.__init__(self)
        tensor = torch.Tensor
        self._pinned = pinned
        self._handlers: dict[Any, Callable[..., Any]] = {
            tensor.cuda: _to_cuda,
            tensor.pin_memory: pinned.pin,
            tensor.is_pinned: pinned.holds,
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
            return self._pinned.pin(func(*args, **{**kwargs, "pin_memory": False}))
        if func is torch.Tensor.to and len(args) > 1 and _is_index(args[1]):
            args = (args[0], _device(args[1]), *args[2:])
        return func(*args, **kwargs)


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _device(value: Any) -> Any:
    return torch.device("cuda", value) if _is_index(value) else value
