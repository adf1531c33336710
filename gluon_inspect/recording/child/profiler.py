"""Proton, Triton's profiler: it starts, stops and shows nothing, since there is nothing to measure."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, ModuleType
from typing import Any

from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches

_VIEWER = "triton.profiler.viewer"
REMARK = "Proton was asked to profile: it measured nothing"


def install(patches: Patches, made_up: MadeUp) -> None:
    """Replaces what Proton's library does, if this Triton has it; torch's profiler sees the CPU only."""
    _without_device(patches)
    try:
        library: Any = importlib.import_module("triton._C.libproton").proton
    except (ImportError, AttributeError):
        return
    members: dict[str, Any] = dict(library.__dict__)
    for name, value in members.items():
        if isinstance(value, BuiltinFunctionType) or type(value).__name__ == "nb_func":
            patches.set(library, name, _session(made_up))
    _replace_viewer(patches)


def _without_device(patches: Patches) -> None:
    """Events of a device that is not there are reported, one by one, as failures."""
    profile: Any = importlib.import_module("torch.autograd.profiler").profile
    begin = profile.__init__

    def __init__(self: Any, *arguments: Any, **options: Any) -> None:
        begin(self, *arguments, **{**options, "use_device": None, "use_cuda": False})

    patches.set(profile, "__init__", __init__)


def _session(made_up: MadeUp) -> Callable[..., int]:
    """Session and scope numbers are all 0."""

    def answer(*_: Any, **__: Any) -> int:
        made_up.remark(REMARK)
        return 0

    return answer


def _replace_viewer(patches: Patches) -> None:
    """The viewer reads a file that was never written, by packages that need not be there."""
    viewer: Any = ModuleType(_VIEWER)
    viewer.parse = _parse
    viewer.print_tree = _print_tree
    before = sys.modules.get(_VIEWER)
    sys.modules[_VIEWER] = viewer
    patches.on_exit(lambda: _put_back(before))


def _put_back(module: ModuleType | None) -> None:
    if module is None:
        del sys.modules[_VIEWER]
    else:
        sys.modules[_VIEWER] = module


def _parse(metrics: Any, *_: Any, **__: Any) -> tuple[None, Any]:
    return None, metrics


def _print_tree(*_: Any, **__: Any) -> None:
    """There is no tree."""
