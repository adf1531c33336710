"""Fake device memory: an aligned address for every storage and, for small ones, true contents on the CPU."""

from __future__ import annotations

import importlib
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

torch: Any = importlib.import_module("torch")
_reductions: Any = importlib.import_module("torch.multiprocessing.reductions")

ALIGNMENT_BYTES = 512
"""Every allocation of torch's caching allocator is a multiple of this (CUDACachingAllocator, kMinBlockSize)."""
SHADOW_LIMIT_BYTES = 1 << 20
"""Larger storages carry no contents: computing references on the CPU would take longer than compiling."""

_FIRST_ADDRESS = 0x7F00_0000_0000
_SWEEP_EVERY = 512


@dataclass(slots=True)
class Region:
    """One storage: its address, its contents (None: unknown) and a reference that keeps its identity ours."""

    address: int
    bytes: int
    contents: Any
    reference: Any


class Memory:
    """Regions by storage; views share their storage's region, so an offset keeps its true alignment."""

    def __init__(self) -> None:
        self._regions: dict[int, Region] = {}
        self._next = _FIRST_ADDRESS
        self._allocated = 0

    def region(self, tensor: Any) -> Region:
        """The region of a tensor's storage, allocated at first sight."""
        storage = tensor.untyped_storage()
        region = self._regions.get(storage._cdata)
        if region is None:
            region = self._allocate(storage)
        return region

    def _allocate(self, storage: Any) -> Region:
        self._allocated += 1
        if self._allocated % _SWEEP_EVERY == 0:
            self._sweep()
        size = int(storage.nbytes())
        region = Region(self._next, size, None, _reductions.StorageWeakRef(storage))
        self._next += (size // ALIGNMENT_BYTES + 1) * ALIGNMENT_BYTES
        self._regions[storage._cdata] = region
        return region

    def _sweep(self) -> None:
        dead = [key for key, region in self._regions.items() if region.reference.expired()]
        for key in dead:
            del self._regions[key]

    def address(self, tensor: Any) -> int:
        """The fake address of a tensor's first element, in bytes."""
        return self.region(tensor).address + int(tensor.storage_offset()) * int(tensor.element_size())

    def shadow(self, tensor: Any) -> Any:
        """A CPU tensor with the same contents, sharing memory with all other views; None where unknown."""
        contents = self.region(tensor).contents
        if contents is None:
            return None
        view = torch.empty(0, dtype=tensor.dtype)
        view.set_(contents, tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride()))
        if tensor.is_conj():
            view = torch._conj(view)
        return view

    def small(self, tensor: Any) -> bool:
        """Whether contents may be kept for a tensor's storage."""
        return int(tensor.untyped_storage().nbytes()) <= SHADOW_LIMIT_BYTES

    def adopt(self, tensor: Any, contents: Any) -> None:
        """From now on `tensor` (fake, owning its whole storage) holds what the CPU tensor holds."""
        region = self.region(tensor)
        if not self.small(tensor) or tuple(contents.shape) != tuple(tensor.shape):
            return
        region.contents = torch.zeros(max(region.bytes, 1), dtype=torch.uint8).untyped_storage()
        self.shadow(tensor).copy_(contents)

    def forget(self, tensor: Any) -> None:
        """The contents of a tensor's storage are unknown from now on."""
        self.region(tensor).contents = None

    def forget_at(self, addresses: Iterable[int]) -> None:
        """The contents of the storages that hold any of these addresses are unknown from now on."""
        places = sorted({address for address in addresses if _FIRST_ADDRESS <= address < self._next})
        for region in self._regions.values() if places else ():
            after = bisect_left(places, region.address)
            if after < len(places) and places[after] < region.address + max(region.bytes, 1):
                region.contents = None

    def written(self, argument: Any) -> None:
        """A kernel that was given this argument may have written to it (or, a descriptor, to its base)."""
        tensor = getattr(argument, "base", argument) if hasattr(argument, "block_shape") else argument
        if isinstance(tensor, torch.Tensor):
            self.forget(tensor)
