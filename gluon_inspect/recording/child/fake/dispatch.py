"""Operations on cuda tensors: shapes by torch's fake tensors, contents of small ones by the CPU.

An operation becomes fake only if it touches a fake tensor or names a cuda device; everything else is
left to torch. What Python code registered for an operator runs as it would on a GPU. What goes back to the
CPU is a real tensor again.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.fake import layers, operators, unknown
from gluon_inspect.recording.child.fake.aside import aside
from gluon_inspect.recording.child.fake.memory import Memory
from gluon_inspect.recording.child.madeup import MadeUp

torch: Any = importlib.import_module("torch")
_dispatch: Any = importlib.import_module("torch.utils._python_dispatch")
_pytree: Any = importlib.import_module("torch.utils._pytree")
_fake: Any = importlib.import_module("torch._subclasses.fake_tensor")
FakeTensor: Any = _fake.FakeTensor
_Mode: Any = _dispatch.TorchDispatchMode
_FakeMode: Any = _fake.FakeTensorMode
_HigherOrder: Any = torch._ops.HigherOrderOperator

_DATA_DEPENDENT = (_fake.DataDependentOutputException, _fake.DynamicOutputShapeException)
_NOT_HERE = (RuntimeError, OSError, AttributeError)
"""What a body raises that calls a library for the GPU by itself, past torch."""
_UNMODELLED = (_fake.UnsupportedOperatorException, NotImplementedError)


def is_cuda(device: Any) -> bool:
    """Whether a device argument, in any form that torch takes, names a GPU."""
    if device is None or isinstance(device, int):
        return device is not None
    return torch.device(device).type == "cuda"


class CudaDispatch(_Mode):
    """The mode under which a script runs."""

    supports_higher_order_operators = True

    def __init__(self, memory: Memory, made_up: MadeUp) -> None:
        _Mode.__init__(self)
        self.memory = memory
        self.made_up = made_up
        self.fake_mode = _FakeMode(allow_non_fake_inputs=True)
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
        leaves = _pytree.tree_leaves((args, kwargs))
        if layers.has_fakes_of_its_own(self.fake_mode, leaves):
            return func(*args, **kwargs)
        if (key := layers.mode_above()) is not None:
            return layers.handed_up(key, self, func, types, args, kwargs)
        if (owner := layers.subclass_above(leaves)) is not None:
            with self:
                return owner.__torch_dispatch__(func, types, args, kwargs)
        if isinstance(func, _HigherOrder):
            return self._higher_order(func, args, kwargs)
        fakes = [leaf for leaf in leaves if isinstance(leaf, FakeTensor)]
        if not fakes and not is_cuda(kwargs.get("device")):
            return func(*args, **kwargs)
        if operators.has_body(func):
            return self._body(func, args, kwargs)
        with torch._C.DisableTorchFunction():
            if handler := self._scalars.get(func):
                return handler(func, *args, **kwargs)
            return self._operation(func, args, kwargs, fakes)

    def _body(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What the author's body returns; where it calls what is not here, shapes by the author's fake."""
        try:
            with self:
                return operators.run_body(func, args, kwargs)
        except _NOT_HERE as error:
            try:
                with torch._C.DisableTorchFunction(), self.fake_mode:
                    outputs = func(*args, **kwargs)
            except Exception:  # noqa: BLE001 (no fake either: the body's own error is the one to see)
                raise error from None
            self.made_up.call(f"{func._schema.name}, whose body ended in {type(error).__name__}")
            self._forget(_mutated(func, args, kwargs))
            return outputs

    def _higher_order(self, operator: Any, args: Any, kwargs: Any) -> Any:
        body = operators.body_of_higher_order(operator)
        if body is None:
            return operator(*args, **kwargs)
        with self:
            return body(*args, **kwargs)

    def _scalar(self, _: Any, tensor: Any) -> Any:
        shadow = self.memory.shadow(tensor)
        if shadow is not None:
            return _item(shadow)
        if (assumed := self.made_up.assumed()) is not None:
            self.made_up.add(unknown.ASSUMED)
            return torch.tensor(assumed).to(tensor.dtype).item()
        self.made_up.add(unknown.SCALARS)
        typical = self.memory.typical(tensor)
        return unknown.scalar(tensor.dtype) if typical is None else _item(typical)

    def _compare(self, func: Any, *args: Any, **kwargs: Any) -> bool:
        real = self._real((args, kwargs))
        if real is not None:
            with aside():
                return func(*real[0], **real[1])
        self.made_up.add(unknown.COMPARISONS)
        return True

    def _operation(self, func: Any, args: Any, kwargs: Any, fakes: list[Any]) -> Any:
        if not operators.is_torchs_own(func):
            self.made_up.call(str(func._schema.name))
        try:
            with self.fake_mode:
                outputs = func(*args, **_without_generator(kwargs))
        except _DATA_DEPENDENT:
            return self._data_dependent(func, args, kwargs)
        except _UNMODELLED as error:
            return self._unmodelled(func, args, kwargs, error)
        outputs = _written(func, args, kwargs, outputs)
        self.memory.allocate(leaf for leaf in _pytree.tree_leaves(outputs) if isinstance(leaf, FakeTensor))
        self._follow(func, args, kwargs, outputs, fakes)
        return self._home(outputs)

    def _follow(self, func: Any, args: Any, kwargs: Any, outputs: Any, fakes: list[Any]) -> None:
        """Computes the contents of `outputs`, or forgets what can no longer be known."""
        real = self._real((args, kwargs))
        assumed = real is None
        if assumed and _counts((args, kwargs), outputs):
            real = _pytree.tree_map(self._typical, (args, kwargs))
        real_outputs = self._run_on_cpu(func, real, outputs)
        if real_outputs is None or assumed:
            self._forget(_mutated(func, args, kwargs))
        if real_outputs is None:
            return
        known = {fake.untyped_storage()._cdata for fake in fakes}
        pairs = zip(_pytree.tree_leaves(outputs), _pytree.tree_leaves(real_outputs), strict=False)
        for fake, real in pairs:
            if isinstance(fake, FakeTensor) and fake.untyped_storage()._cdata not in known:
                self.memory.adopt(fake, real, assumed)

    def _forget(self, tensors: list[Any]) -> None:
        for tensor in tensors:
            if isinstance(tensor, FakeTensor):
                self.memory.forget(tensor)

    def _run_on_cpu(self, func: Any, real: Any, outputs: Any) -> Any:
        """What an operation returns for CPU tensors; None where it is not to be known."""
        if real is None or not operators.computes_on_cpu(func):
            return None
        fakes = [leaf for leaf in _pytree.tree_leaves(outputs) if isinstance(leaf, FakeTensor)]
        if not all(self.memory.small(fake) for fake in fakes):
            return None
        try:
            with aside():
                return func(*real[0], **real[1])
        except (RuntimeError, NotImplementedError, IndexError):
            return None  # the CPU has no such kernel, or what was assumed does not fit: contents unknown

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

    def _typical(self, leaf: Any, count: float | None = None) -> Any:
        """A leaf with its contents, those that were assumed, or what stands in for them (`count` not zero)."""
        real = self._real_leaf(leaf)
        if real is None and leaf is not None:
            typical = self.memory.typical(leaf)
            with aside():
                return unknown.stand_in(leaf, count) if typical is None or count is not None else typical
        return real

    def _data_dependent(self, func: Any, args: Any, kwargs: Any) -> Any:
        """An operation whose output's shape depends on contents: computed, or computed from what stands in."""
        real = self._real((args, kwargs))
        assumed = real is None
        if assumed:
            count = self.made_up.assumed()
            self.made_up.add(unknown.SHAPES.format(func) if count is None else unknown.ASSUMED)
            real = _pytree.tree_map(lambda leaf: self._typical(leaf, count), (args, kwargs))  # pyright: ignore[reportUnknownLambdaType]
        with aside():
            outputs = func(*real[0], **real[1])
        return self._all_fake(outputs, assumed)

    def _unmodelled(self, func: Any, args: Any, kwargs: Any, error: Exception) -> Any:
        """No shapes are known: from the CPU's kernel or, of another's operator, like its first tensor."""
        if operators.computes_on_cpu(func):
            real = _pytree.tree_map(self._typical, (args, kwargs))
            try:
                with aside():
                    outputs = func(*real[0], **real[1])
            except (RuntimeError, NotImplementedError):
                pass
            else:
                assumed = self._real((args, kwargs)) is None
                self._forget(_mutated(func, args, kwargs))
                return self._all_fake(outputs, assumed)
        if operators.is_torchs_own(func):
            raise error
        self.made_up.add(
            f"what {func._schema.name}, which cannot run here, returns (taken to be like its first tensor)"
        )
        self._forget(_mutated(func, args, kwargs))
        return self._like_the_first(func, args, kwargs)

    def _like_the_first(self, func: Any, args: Any, kwargs: Any) -> Any:
        first = next((leaf for leaf in _pytree.tree_leaves((args, kwargs)) if isinstance(leaf, FakeTensor)), None)
        returns = [str(each.type) for each in func._schema.returns]
        if written := _mutated(func, args, kwargs):
            first = written[0]
        with self.fake_mode:
            made = [
                torch.empty_like(first) if kind == "Tensor" and first is not None else None for kind in returns
            ]
        return made[0] if len(made) == 1 else tuple(made) if made else None

    def _all_fake(self, outputs: Any, assumed: bool) -> Any:
        leaves, spec = _pytree.tree_flatten(outputs)
        return _pytree.tree_unflatten([self._to_fake(leaf, assumed) for leaf in leaves], spec)

    def _to_fake(self, real: Any, assumed: bool) -> Any:
        if not isinstance(real, torch.Tensor):
            return real
        with self.fake_mode:
            fake = torch.empty_strided(tuple(real.shape), real.stride(), dtype=real.dtype, device="cuda")
        self.memory.adopt(fake, real, assumed)
        return fake

    def _home(self, outputs: Any) -> Any:
        return _pytree.tree_map(self._home_leaf, outputs)

    def _home_leaf(self, leaf: Any) -> Any:
        """A fake CPU tensor whose contents are known as a real one; an unknown one stays fake."""
        if not isinstance(leaf, FakeTensor) or leaf.fake_device.type != "cpu":
            return leaf
        shadow = self.memory.shadow(leaf)
        if shadow is None:
            self.made_up.add(unknown.COPIES)
            return leaf
        return shadow


def _same_size(_: Any, left: Any, right: Any) -> bool:
    return tuple(left.shape) == tuple(right.shape)


def _item(tensor: Any) -> Any:
    with aside():
        return tensor.item()


def _counts(arguments: Any, outputs: Any) -> bool:
    """Whether an assumption may pass through an operation: from integers and truth values to integers only."""
    given, made = (
        [leaf.dtype for leaf in _pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]
        for tree in (arguments, outputs)
    )
    return all(map(unknown.is_integer, made)) and all(d is torch.bool or unknown.is_integer(d) for d in given)


def _without_generator(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Shapes need no random numbers, and the CPU's generator would be refused for cuda."""
    return {name: None if name == "generator" else value for name, value in kwargs.items()}


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
