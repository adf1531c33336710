"""What stands in for contents that no kernel computed. Whatever is taken from here is counted and said."""

from __future__ import annotations

import importlib
from typing import Any

torch: Any = importlib.import_module("torch")

SCALARS = "a scalar read from the GPU (a count from what it counts, else True, 1 or 0.0)"
ASSUMED = "what the script reads there (taken as --assume says)"
COMPARISONS = "a comparison of GPU tensors (taken as equal)"
SHAPES = "how many elements {} finds (half of what it looks at)"
COPIES = "a tensor copied from the GPU with unknown contents"
LISTS = "a list read from the GPU (a count from what it counts, else True, 1 or 0.0)"


def scalar(dtype: Any) -> Any:
    """True, 1 or 0.0: a count of zero would leave out every launch behind it, a float of one broke assertions."""
    if dtype is torch.bool:
        return True
    return 0.0 if dtype.is_floating_point or dtype.is_complex else 1


def stand_in(tensor: Any, count: float | None = None) -> Any:
    """A CPU tensor for one with unknown contents: integers are one, of anything else every other element is.

    With `count` the first so many elements are one.
    """
    shape, dtype = tuple(tensor.shape), tensor.dtype
    if count is not None:
        return (torch.arange(tensor.numel(), device="cpu") < count).to(dtype).reshape(shape)
    if is_integer(dtype):
        return torch.ones(shape, dtype=dtype, device="cpu")
    return (torch.arange(tensor.numel(), device="cpu") % 2 == 0).to(dtype).reshape(shape)


def plain(tensor: Any) -> Any:
    """A CPU tensor of `scalar`s, which a script sees as numbers."""
    return torch.full(tuple(tensor.shape), scalar(tensor.dtype), dtype=tensor.dtype, device="cpu")


def is_integer(dtype: Any) -> bool:
    """Whether a type holds integers, truth values left out."""
    return dtype is not torch.bool and not dtype.is_floating_point and not dtype.is_complex
