"""Checks of results: kernels did not run, so no result can be checked."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.fake.dispatch import FakeTensor
from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")
_pytree: Any = importlib.import_module("torch.utils._pytree")


def install(patches: Patches) -> None:
    """assert_close of torch and of Triton, and of NumPy where the script uses it."""
    testing: Any = importlib.import_module("torch.testing")
    patches.set(testing, "assert_close", _unless_fake(testing.assert_close))
    triton_testing: Any = importlib.import_module("triton.testing")
    patches.set(triton_testing, "assert_close", _unless_fake(triton_testing.assert_close))


def _unless_fake(check: Callable[..., None]) -> Callable[..., None]:
    def assert_close(*args: Any, **kwargs: Any) -> None:
        leaves = _pytree.tree_leaves((args, kwargs))
        if not any(isinstance(leaf, FakeTensor) for leaf in leaves):
            check(*args, **kwargs)

    return assert_close
