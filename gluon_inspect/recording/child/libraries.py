"""Vendor libraries that Triton wraps (cuBLASLt, hipBLASLt): their calls are counted, not made."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches

_WRAPPERS = (("nvidia", "cublas", "CublasLt", "cuBLASLt"), ("amd", "hipblas", "HipblasLt", "hipBLASLt"))


class LibraryCalls:
    """Counts calls by library and function; `forget` is told of each argument, which may be written."""

    def __init__(self, forget: Callable[[Any], None], made_up: MadeUp) -> None:
        self._forget = forget
        self._made_up = made_up

    def install(self, patches: Patches) -> None:
        """Replaces the wrapper classes that this Triton has."""
        libtriton: Any = importlib.import_module("triton._C.libtriton")
        for backend, module, name, title in _WRAPPERS:
            owner = getattr(getattr(libtriton, backend, None), module, None)
            if owner is not None:
                patches.set(owner, name, self._wrapper(title))

    def _wrapper(self, title: str) -> Callable[..., Any]:
        def make(*_: Any, **__: Any) -> Any:
            return _Library(self, title)

        return make

    def called(self, function: str, arguments: tuple[Any, ...]) -> None:
        """One call."""
        self._made_up.call(function)
        for argument in arguments:
            self._forget(argument)


class _Library:
    def __init__(self, calls: LibraryCalls, title: str) -> None:
        self._calls = calls
        self._title = title

    def __getattr__(self, function: str) -> Callable[..., None]:
        if function.startswith("__"):
            raise AttributeError(function)

        def call(*arguments: Any) -> None:
            self._calls.called(f"{self._title} {function}", arguments)

        return call
