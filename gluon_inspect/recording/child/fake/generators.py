"""torch.Generator for cuda: a CPU generator takes its place, so that a seed still means something."""

from __future__ import annotations

import importlib
from typing import Any

from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")
_Generator: Any = torch._C.Generator


class Generator(_Generator):
    """A generator for any device, living on the CPU."""

    def __new__(cls, device: Any = None) -> Any:
        """`device` is not used."""
        del device
        return _Generator.__new__(cls)


def install(patches: Patches) -> None:
    """Replaces the class where scripts name it."""
    patches.set(torch, "Generator", Generator)
