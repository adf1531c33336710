"""The script's own modes and tensor subclasses, which see an operation before the recorder does.

torch runs modes of its infrastructure (tracing, functionalisation) after all others, the recorder's among these.
A GPU is below all of them: so an operation that reaches the recorder while one is active is handed to it first.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable
from typing import Any

from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")
_FakeTensor: Any = importlib.import_module("torch._subclasses.fake_tensor").FakeTensor
_Mode: Any = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode
_Keys: Any = torch._C._TorchDispatchModeKey
_ABOVE = (_Keys.FUNCTIONAL, _Keys.PROXY)
_PLAIN: Any = torch._C._disabled_torch_dispatch_impl


def has_fakes_of_its_own(ours: Any, leaves: Iterable[Any]) -> bool:
    """Whether the script runs under a FakeTensorMode of its own, or on that mode's tensors: nothing runs then."""
    if torch._C._get_dispatch_mode(_Keys.FAKE) is not None:
        return True
    return any(isinstance(leaf, _FakeTensor) and leaf.fake_mode is not ours for leaf in leaves)


def mode_above() -> Any:
    """The key of the first of torch's own modes that is active; None."""
    return next((key for key in _ABOVE if torch._C._get_dispatch_mode(key) is not None), None)


def handed_up(key: Any, recorder: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """An operation given to one of torch's own modes; what that mode calls comes back to the recorder."""
    mode = torch._C._unset_dispatch_mode(key)
    try:
        with recorder:
            if isinstance(func, torch._ops.HigherOrderOperator):
                handler = func.python_key_table[type(mode)]
                return handler(mode, *args, **kwargs)
            return mode.__torch_dispatch__(func, types, args, kwargs)
    finally:
        torch._C._set_dispatch_mode(mode)


def hide_questions(patches: Patches) -> None:
    """Asking a fake tensor for its device is an operation; a mode of the script's hears of none on a GPU."""
    enter = _Mode.__enter__

    def __enter__(mode: Any) -> Any:
        kind: Any = type(mode)  # pyright: ignore[reportUnknownVariableType]
        if not kind.is_infra_mode() and kind.__torch_dispatch__ not in _hearing_less:
            patches.set(kind, "__torch_dispatch__", _without_questions(kind.__torch_dispatch__))
        return enter(mode)

    patches.set(_Mode, "__enter__", __enter__)


_hearing_less: set[Any] = set()


def _without_questions(dispatch: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(dispatch)
    def __torch_dispatch__(
        mode: Any, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is torch.ops.prim.device.default:
            return args[0].fake_device
        return dispatch(mode, func, types, args, kwargs)

    _hearing_less.add(__torch_dispatch__)
    return __torch_dispatch__


def subclass_above(leaves: Iterable[Any]) -> Any:
    """The type of the first tensor that handles operations itself and is no fake of ours; None."""
    kinds: list[Any] = [type(leaf) for leaf in leaves if isinstance(leaf, torch.Tensor)]
    return next(
        (kind for kind in kinds if not issubclass(kind, _FakeTensor) and kind.__torch_dispatch__ is not _PLAIN),
        None,
    )
