"""When two launches are the same launch."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gluon_inspect.model.artifact import ArgumentValue, DescriptorArgument, TensorArgument

_ALIGNMENT_BYTES = 512
"""Allocations start at multiples of it (torch's caching allocator), so only what is left of an address counts."""
_LOCATION = re.compile(r" loc\([^\n]*\)$|^#loc[^\n]*\n", re.MULTILINE)


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


def launch_key(name: str, ttgir: str, grid: Sequence[int] | None, arguments: dict[str, ArgumentValue]) -> str:
    """What a recorded and a real launch have in common: kernel, IR, grid, and arguments but for contents."""
    plain = {each: _without_contents(value) for each, value in arguments.items()}
    digest = hashlib.sha256(_without_locations(ttgir).encode()).hexdigest()
    text = json.dumps([name, digest, list(grid or ()), repr(identity(plain))])
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _without_locations(ttgir: str) -> str:
    """A notebook's or a function's code stands in another file each time it runs."""
    return _LOCATION.sub("", ttgir)


def _without_contents(value: ArgumentValue) -> ArgumentValue:
    match value:
        case TensorArgument():
            return replace(value, data=None)
        case DescriptorArgument():
            return replace(value, tensor=replace(value.tensor, data=None))
        case _:
            return value
