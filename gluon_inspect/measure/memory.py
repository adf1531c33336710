"""Memory that stands in for what a recorded launch had: same sizes, overlaps and alignment, made-up contents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gluon_inspect.errors import CaptureError
from gluon_inspect.model.artifact import TensorArgument

Range = tuple[int, int]
"""First byte and the one behind the last, at recorded addresses."""
ALIGNMENT_BYTES = 512
"""What torch's allocator aligns to: rebuilt memory keeps each recorded address modulo this."""
_FINITE = 64
"""Bytes below it are small finite numbers in every 8-bit float."""


def merged(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """The same bytes as separate ranges, in order: what overlapped shares one."""
    found: list[Range] = []
    for low, high in sorted(each for each in ranges if each[0] < each[1]):
        if found and low < found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def total_bytes(ranges: Iterable[Range]) -> int:
    """Bytes that the ranges hold, each once."""
    return sum(high - low for low, high in merged(ranges))


def extent(torch: Any, tensor: TensorArgument) -> Range:
    """The bytes between a tensor's first and last element; empty where it has none."""
    if 0 in tensor.shape:
        return tensor.address, tensor.address
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True))
    return tensor.address, tensor.address + (last + 1) * element_bytes(torch, tensor.dtype)


def element_bytes(torch: Any, dtype: str) -> int:
    """Bytes of an element; 1 for a type that this torch does not have."""
    return int(getattr(torch, dtype, torch.uint8).itemsize)


class RebuiltMemory:
    """One allocation a separate range, zeroed. `torch` is passed in, so that tests can build on the CPU."""

    def __init__(self, torch: Any, ranges: Iterable[Range], device: str = "cuda") -> None:
        self._torch, self._device = torch, device
        self._blocks = [(low, high, self._block(low, high)) for low, high in merged(ranges)]

    def _block(self, low: int, high: int) -> Any:
        size = high - low
        whole = self._torch.zeros(size + ALIGNMENT_BYTES, dtype=self._torch.uint8, device=self._device)
        skip = (low - int(whole.data_ptr())) % ALIGNMENT_BYTES
        return whole[skip : skip + size]

    def address(self, recorded: int) -> int:
        """Where a recorded address is now. CaptureError for one outside what was rebuilt."""
        low, _, block = self._find(recorded)
        return int(block.data_ptr()) + recorded - low

    def _find(self, recorded: int) -> tuple[int, int, Any]:
        for low, high, block in self._blocks:
            if low <= recorded < high:
                return low, high, block
        raise CaptureError(f"address {recorded:#x} is in no tensor that was recorded")

    def fill(self, tensor: TensorArgument) -> bool:
        """Recorded contents, or random floats; False where integers stay zero since nothing is known of them."""
        elements = self._elements(tensor)
        if elements is None:
            return tensor.data is not None
        if tensor.data is not None and tensor.shape and self._holds(tensor, elements):
            values = self._torch.tensor(tensor.data, dtype=elements.dtype).view(tensor.shape)
            once = tuple(slice(None) if stride else slice(1) for stride in tensor.strides)
            elements.as_strided(tensor.shape, tensor.strides)[once].copy_(values[once])
            return True
        if not elements.dtype.is_floating_point:
            return False
        if elements.dtype.itemsize == 1:
            elements.view(self._torch.uint8).random_(0, _FINITE)
        else:
            elements.uniform_()
        return True

    def _elements(self, tensor: TensorArgument) -> Any:
        """The tensor's bytes that were rebuilt, as elements in a row; None where they are no whole elements."""
        dtype = getattr(self._torch, tensor.dtype, None)
        if dtype is None or 0 in tensor.shape:
            return None
        low, high, block = self._find(tensor.address)
        end = min(high, extent(self._torch, tensor)[1]) if tensor.shape else high
        size = (end - tensor.address) // dtype.itemsize * dtype.itemsize
        if tensor.address % dtype.itemsize or not size:
            return None
        return block[tensor.address - low : tensor.address - low + size].view(dtype)

    def _holds(self, tensor: TensorArgument, elements: Any) -> bool:
        low, high = extent(self._torch, tensor)
        return elements.numel() * elements.dtype.itemsize >= high - low


def fill_all(memory: RebuiltMemory, tensors: Sequence[TensorArgument]) -> bool:
    """Fill every tensor, those with recorded contents last; False where some integers had to stay zero."""
    ordered = sorted(tensors, key=lambda tensor: tensor.data is not None)
    return all([memory.fill(tensor) for tensor in ordered])
