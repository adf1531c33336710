"""When two launches are the same launch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gluon_inspect.model.artifact import ArgumentValue, DescriptorArgument, TensorArgument

_ALIGNMENT_BYTES = 512
"""Allocations start at multiples of it (torch's caching allocator), so only what is left of an address counts."""


def identity(arguments: Mapping[str, ArgumentValue]) -> tuple[Any, ...]:
    """What makes two argument sets the same: all but where an allocation happened to land.

    An address counts by its alignment and by which other arguments start at the same place.
    """
    places: dict[int, int] = {}
    return tuple((name, _identity(value, places)) for name, value in arguments.items())


def _identity(value: ArgumentValue, places: dict[int, int]) -> Any:
    match value:
        case TensorArgument():
            place = places.setdefault(value.address, len(places))
            return value.dtype, value.shape, value.strides, value.address % _ALIGNMENT_BYTES, place, value.data
        case DescriptorArgument():
            return _identity(value.tensor, places), value.block_shape, value.layout, value.pixels
        case _:
            return type(value).__name__, repr(value)
