"""Kernel arguments as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from gluon_inspect.model.artifact import ArgumentValue, DescriptorArgument, PixelBox, TensorArgument
from gluon_inspect.recording.child.fake.memory import Memory

DATA_LIMIT_ELEMENTS = 1 << 16
"""Larger index tensors are taken as unknown: a capture should stay small."""


def flatten(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A tuple argument as its members, "x.0", "x.1"; anything else as itself."""
    if isinstance(value, tuple | list):
        for index, member in enumerate(cast(Sequence[Any], value)):
            yield from flatten(f"{name}.{index}", member)
    else:
        yield name, value


class ArgumentReader:
    """Reads tensors' places and contents out of the fake memory."""

    def __init__(self, memory: Memory | None) -> None:
        self._memory = memory

    def read(self, value: Any) -> ArgumentValue:
        """One bound argument."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if hasattr(value, "block_shape") and hasattr(value, "base"):
            return self._descriptor(value)
        if hasattr(value, "data_ptr") and hasattr(value, "dtype"):
            return self._tensor(value)
        return str(value)

    def _descriptor(self, value: Any) -> DescriptorArgument:
        base = self._tensor(value.base)
        tensor = TensorArgument(base.dtype, _ints(value.shape), _ints(value.strides), base.address)
        layout = str(getattr(value, "layout", "") or "")
        return DescriptorArgument(tensor, _ints(value.block_shape), layout, _pixels(value))

    def _tensor(self, value: Any) -> TensorArgument:
        dtype = str(value.dtype).removeprefix("torch.")
        value = getattr(value, "base", value) if not hasattr(value, "stride") else value
        if not hasattr(value, "stride"):
            return TensorArgument(dtype, (), (), int(value.data_ptr()))
        return TensorArgument(
            dtype, _ints(value.shape), _ints(value.stride()), int(value.data_ptr()), self._contents(value)
        )

    def _contents(self, value: Any) -> tuple[int, ...] | None:
        if self._memory is None or not _is_index(value) or value.numel() > DATA_LIMIT_ELEMENTS:
            return None
        shadow = self._memory.shadow(value)
        return None if shadow is None else tuple(int(number) for number in shadow.flatten().tolist())


def _pixels(descriptor: Any) -> PixelBox | None:
    """The window of Gluon's TensorDescriptorIm2Col; no element strides mean 1."""
    lower = getattr(descriptor, "pixel_box_lower_corner", None)
    upper = getattr(descriptor, "pixel_box_upper_corner", None)
    if lower is None or upper is None:
        return None
    steps = getattr(descriptor, "element_strides", None) or [1] * len(descriptor.shape)
    return PixelBox(_ints(lower), _ints(upper), _ints(steps))


def _is_index(tensor: Any) -> bool:
    return not (tensor.dtype.is_floating_point or tensor.dtype.is_complex)


def _ints(values: Any) -> tuple[int, ...]:
    return tuple(int(value) for value in values)
