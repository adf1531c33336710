"""torch._dynamo, loaded only when something of it is asked for: it takes as long as torch itself.

Fake tensors read its configuration, a module that stands alone, and torch's own operations are marked as not to be
compiled when they are first called, which means nothing before anything is compiled.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from gluon_inspect.recording.child.patches import Patches

_NAME = "torch._dynamo"
_ALONE = f"{_NAME}.config"


def when_loaded(patches: Patches, ready: Callable[[], None]) -> None:
    """Calls `ready` once torch._dynamo is loaded: now, or when an attribute or another submodule is needed."""
    spec = None if _NAME in sys.modules else importlib.util.find_spec(_NAME)
    if spec is None or spec.loader is None:
        importlib.import_module(_NAME)
        ready()
    else:
        _Package(spec, ready).install(patches)


class _Package(ModuleType):
    """The package before its own code has run; a finder too, which runs that code before a submodule's."""

    def __init__(self, spec: ModuleSpec, ready: Callable[[], None]) -> None:
        super().__init__(_NAME)
        self.__spec__, self.__loader__, self.__package__ = spec, spec.loader, _NAME
        self.__file__, self.__path__ = spec.origin, list(spec.submodule_search_locations or ())
        self.disable = _as_it_is
        self._ready: Callable[[], None] | None = ready

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there yet."""
        if name.startswith("__") or not self._load():
            raise AttributeError(f"module {_NAME!r} has no attribute {name!r}")
        return getattr(self, name)

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: object = None) -> None:
        """Finds nothing: the finders after it do."""
        if name.startswith(f"{_NAME}.") and name != _ALONE:
            self._load()

    def install(self, patches: Patches) -> None:
        """Takes the package's place; left waiting, it is taken away again."""
        torch: Any = importlib.import_module("torch")
        finders: list[Any] = sys.meta_path
        sys.modules[_NAME] = torch._dynamo = self
        finders.insert(0, self)
        patches.on_exit(lambda: self._remove(torch))

    def _load(self) -> bool:
        """Whether the package's code was run now."""
        ready, self._ready = self._ready, None
        if ready is None:
            return False
        loader: Any = self.__loader__
        loader.exec_module(self)
        ready()
        return True

    def _remove(self, torch: Any) -> None:
        finders: list[Any] = sys.meta_path
        finders.remove(self)
        if self._ready is not None:
            del torch._dynamo
            for name in (_NAME, _ALONE):
                sys.modules.pop(name, None)


def _as_it_is(function: Any = None, *_: Any, **__: Any) -> Any:
    return function if function is not None else _as_it_is
