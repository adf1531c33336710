"""Operations on cuda tensors: shapes by torch's fake tensors, contents of small ones by the CPU.

An operation becomes fake only if it touches a fake tensor or names a cuda device; everything else is
left to torch. What goes back to the CPU is a real tensor again.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.fake.memory import Memory
from gluon_inspect.recording.child.madeup import MadeUp

torch: Any = importlib.import_module("torch")
_dispatch: Any = importlib.import_module("torch.utils._python_dispatch")
_pytree: Any = importlib.import_module("torch.utils._pytree")
_fake: Any = importlib.import_module("torch._subclasses.fake_tensor")
FakeTensor: Any = _fake.FakeTensor
_Mode: Any = _dispatch.TorchDispatchMode
_FakeMode: Any = _fake.FakeTensorMode

_DATA_DEPENDENT = (
    _fake.DataDependentOutputException,
    _fake.DynamicOutputShapeException,
    _fake.UnsupportedOperatorException,
)


def is_cuda(device: Any) -> bool:
    """Whether a device argument, in any form that torch takes, names a GPU."""
    if device is None or isinstance(device, int):
        return device is not None
    return torch.device(device).type == "cuda"


class _NoDevice(_FakeMode):
    """Fake tensors that never try a real device, although torch.cuda says that there is one."""

    @property
    def avoid_device_init(self) -> bool:
        """Whether to keep away from the device."""
        return True


class CudaDispatch(_Mode):
    """The mode under which a script runs."""

    def __init__(self, memory: Memory, made_up: MadeUp) -> None:
        _Mode.__init__(self)
        self.memory = memory
        self.made_up = made_up
        self.fake_mode = _NoDevice(allow_non_fake_inputs=True)
        aten = torch.ops.aten
        self._scalars: dict[Any, Callable[..., Any]] = {
            aten._local_scalar_dense.default: self._scalar,
            aten.equal.default: self._compare,
            aten.allclose.default: self._compare,
            aten.is_same_size.default: _same_size,
        }

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        fakes = [leaf for leaf in _pytree.tree_leaves((args, kwargs)) if isinstance(leaf, FakeTensor)]
        if not fakes and not is_cuda(kwargs.get("device")):
            return func(*args, **kwargs)
        if handler := self._scalars.get(func):
            return handler(func, *args, **kwargs)
        return self._operation(func, args, kwargs, fakes)

    def _scalar(self, _: Any, tensor: Any) -> Any:
        shadow = self.memory.shadow(tensor)
        if shadow is not None:
            return shadow.item()
        self.made_up.add("a scalar read from the GPU (taken as zero or True)")
        return _unknown_scalar(tensor.dtype)

    def _compare(self, func: Any, *args: Any, **kwargs: Any) -> bool:
        real = self._real((args, kwargs))
        if real is not None:
            return func(*real[0], **real[1])
        self.made_up.add("a comparison of GPU tensors (taken as equal)")
        return True

    def _operation(self, func: Any, args: Any, kwargs: Any, fakes: list[Any]) -> Any:
        try:
            with self.fake_mode:
                outputs = func(*args, **_without_generator(kwargs))
        except _DATA_DEPENDENT:
            return self._data_dependent(func, args, kwargs)
        outputs = _written(func, args, kwargs, outputs)
        self._follow(func, args, kwargs, outputs, fakes)
        return self._home(outputs)

    def _follow(self, func: Any, args: Any, kwargs: Any, outputs: Any, fakes: list[Any]) -> None:
        """Computes the contents of `outputs`, or forgets what can no longer be known."""
        real_outputs = self._run_on_cpu(func, args, kwargs, outputs)
        if real_outputs is None:
            for tensor in _mutated(func, args, kwargs):
                if isinstance(tensor, FakeTensor):
                    self.memory.forget(tensor)
            return
        known = {fake.untyped_storage()._cdata for fake in fakes}
        pairs = zip(_pytree.tree_leaves(outputs), _pytree.tree_leaves(real_outputs), strict=False)
        for fake, real in pairs:
            if isinstance(fake, FakeTensor) and fake.untyped_storage()._cdata not in known:
                self.memory.adopt(fake, real)

    def _run_on_cpu(self, func: Any, args: Any, kwargs: Any, outputs: Any) -> Any:
        fakes = [leaf for leaf in _pytree.tree_leaves(outputs) if isinstance(leaf, FakeTensor)]
        if not all(self.memory.small(fake) for fake in fakes):
            return None
        real = self._real((args, kwargs))
        if real is None:
            return None
        try:
            return func(*real[0], **real[1])
        except (RuntimeError, NotImplementedError):
            return None  # the CPU has no such kernel: contents unknown

    def _real(self, arguments: Any) -> Any:
        """The arguments with contents for fake tensors and the CPU for cuda; None if any is unknown."""
        leaves, spec = _pytree.tree_flatten(arguments)
        real = [self._real_leaf(leaf) for leaf in leaves]
        if any(leaf is None and before is not None for leaf, before in zip(real, leaves, strict=True)):
            return None
        return _pytree.tree_unflatten(real, spec)

    def _real_leaf(self, leaf: Any) -> Any:
        if isinstance(leaf, FakeTensor):
            return self.memory.shadow(leaf)
        if isinstance(leaf, torch.device):
            return torch.device("cpu") if leaf.type == "cuda" else leaf
        return leaf

    def _data_dependent(self, func: Any, args: Any, kwargs: Any) -> Any:
        """An operation whose output's shape depends on contents: computed, or computed from zeros."""
        real = self._real((args, kwargs))
        if real is None:
            self.made_up.add(f"the contents that {func} depends on (taken as zeros)")
            real = _pytree.tree_map(self._real_or_zeros, (args, kwargs))
        return _pytree.tree_map(self._to_fake, func(*real[0], **real[1]))

    def _real_or_zeros(self, leaf: Any) -> Any:
        real = self._real_leaf(leaf)
        if real is None and leaf is not None:
            return torch.zeros(tuple(leaf.shape), dtype=leaf.dtype)
        return real

    def _to_fake(self, real: Any) -> Any:
        if not isinstance(real, torch.Tensor):
            return real
        with self.fake_mode:
            fake = torch.empty_strided(tuple(real.shape), real.stride(), dtype=real.dtype, device="cuda")
        self.memory.adopt(fake, real)
        return fake

    def _home(self, outputs: Any) -> Any:
        return _pytree.tree_map(self._home_leaf, outputs)

    def _home_leaf(self, leaf: Any) -> Any:
        """A fake CPU tensor whose contents are known as a real one; an unknown one stays fake."""
        if not isinstance(leaf, FakeTensor) or leaf.fake_device.type != "cpu":
            return leaf
        shadow = self.memory.shadow(leaf)
        if shadow is None:
            self.made_up.add("a tensor copied from the GPU with unknown contents")
            return leaf
        return shadow


def _same_size(_: Any, left: Any, right: Any) -> bool:
    return tuple(left.shape) == tuple(right.shape)


def _without_generator(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Shapes need no random numbers, and the CPU's generator would be refused for cuda."""
    return {name: None if name == "generator" else value for name, value in kwargs.items()}


def _unknown_scalar(dtype: Any) -> Any:
    if dtype is torch.bool:
        return True
    return 0.0 if dtype.is_floating_point else 0


def _written_alias(argument: Any) -> frozenset[str]:
    info = argument.alias_info
    return frozenset(info.before_set) if info is not None and info.is_write else frozenset()


def _mutated(func: Any, args: Any, kwargs: Any) -> list[Any]:
    """The tensors that an operation writes to, by its schema."""
    found: list[Any] = []
    for index, argument in enumerate(func._schema.arguments):
        if _written_alias(argument):
            value = args[index] if index < len(args) else kwargs.get(argument.name)
            found.extend(leaf for leaf in _pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor))
    return found


def _written(func: Any, args: Any, kwargs: Any, outputs: Any) -> Any:
    """`outputs`, with the caller's own tensors where the schema returns what was written in place."""
    returns = func._schema.returns
    if len(returns) != 1 or not _written_alias(returns[0]):
        return outputs
    targets = _mutated(func, args, kwargs)
    return targets[0] if len(targets) == 1 and isinstance(outputs, torch.Tensor) else outputs
