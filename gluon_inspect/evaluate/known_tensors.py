"""Tensors whose contents are known (small index tensors that were real): loads from them have values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from gluon_inspect.evaluate.arithmetic import binary, select
from gluon_inspect.evaluate.values import AnyValue, Ints, Lanes, Unknown, elementwise, splat
from gluon_inspect.model.artifact import ArgumentValue, TensorArgument

_BYTES = {"int8": 1, "uint8": 1, "bool": 1, "int16": 2, "int32": 4, "int64": 8}
_REASON = "result of tt.load"


@dataclass(frozen=True, slots=True, eq=False)
class KnownTensor:
    """Contents of one tensor, dense from its first byte."""

    address: int
    element_bytes: int
    values: Ints

    @property
    def end(self) -> int:
        """The first byte behind it."""
        return self.address + self.element_bytes * len(self.values)


class KnownMemory:
    """The arguments whose contents were recorded."""

    def __init__(self, arguments: Iterable[ArgumentValue]) -> None:
        self._tensors = [known for argument in arguments if (known := _known(argument)) is not None]

    def load(
        self, pointer: AnyValue, mask: AnyValue | None, other: AnyValue | None, element_bytes: int
    ) -> AnyValue:
        """What a load gives; Unknown where any active address lies outside the known tensors."""
        if not self._tensors or isinstance(pointer, Unknown) or isinstance(mask, Unknown):
            return Unknown(_REASON)
        active = 1 if mask is None else mask
        for tensor in self._tensors:
            if tensor.element_bytes == element_bytes and self._holds(tensor, pointer, active):
                found = _read(tensor, pointer, active)
                if other is None or mask is None:
                    return found
                return other if isinstance(other, Unknown) else select(mask, found, other)
        return Unknown(_REASON)

    def _holds(self, tensor: KnownTensor, pointer: AnyValue, active: AnyValue) -> bool:
        def outside(address: Ints, on: Ints) -> Ints:
            inside = (address >= tensor.address) & (address < tensor.end)
            return np.asarray(~inside & (on != 0), np.int64)

        found = _apply(outside, pointer, active)
        table = found.table + found.base if isinstance(found, Lanes) else np.asarray(found)
        return not np.any(table)


def _read(tensor: KnownTensor, pointer: AnyValue, active: AnyValue) -> AnyValue:
    def read(address: Ints, on: Ints) -> Ints:
        index = np.clip((address - tensor.address) // tensor.element_bytes, 0, len(tensor.values) - 1)
        return np.where(on != 0, tensor.values[index], 0)

    return _apply(read, pointer, active)


def _apply(function: Callable[[Ints, Ints], Ints], pointer: AnyValue, active: AnyValue) -> AnyValue:
    """A function of addresses and mask, in whichever representation they have."""
    if not isinstance(pointer, Lanes):
        return binary(function, pointer, active)
    lanes = active if isinstance(active, Lanes) else splat(_scalar(active), pointer.shape)
    return elementwise(function, pointer, lanes)


def _scalar(value: AnyValue) -> int | Ints:
    if isinstance(value, Lanes | Unknown):
        raise TypeError(type(value).__name__)
    return value


def _known(argument: ArgumentValue) -> KnownTensor | None:
    if not isinstance(argument, TensorArgument) or argument.data is None or argument.dtype not in _BYTES:
        return None
    dense = 1
    for size, stride in zip(reversed(argument.shape), reversed(argument.strides), strict=True):
        if size != 1 and stride != dense:
            return None
        dense *= size
    values = np.array(argument.data, np.int64)
    return KnownTensor(argument.address, _BYTES[argument.dtype], values) if len(values) else None
