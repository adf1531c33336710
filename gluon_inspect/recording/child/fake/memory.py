"""Fake device memory: an aligned address for every storage and, for small ones, true contents on the CPU."""

from __future__ import annotations

import importlib
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from gluon_inspect.recording.child.fake.aside import aside
from gluon_inspect.recording.child.fake.pinned import Pinned

torch: Any = importlib.import_module("torch")
_reductions: Any = importlib.import_module("torch.multiprocessing.reductions")

ALIGNMENT_BYTES = 512
"""Every allocation of torch's caching allocator is a multiple of this (CUDACachingAllocator, kMinBlockSize)."""
SHADOW_LIMIT_BYTES = 1 << 20
"""Larger storages carry no contents: computing references on the CPU would take longer than compiling."""

Doubt = tuple[object, Callable[[], bool]]
_FIRST_ADDRESS = 0x7F00_0000_0000
_SWEEP_EVERY = 512


@dataclass(slots=True)
class Region:
    """One storage: its address, its contents (None: unknown) and a reference that keeps its identity ours."""

    address: int
    bytes: int
    contents: Any
    reference: Any
    assumed: bool = False
    """The contents were computed from what stands in for unknown ones."""
    doubts: dict[Any, Callable[[], bool]] = field(default_factory=dict[Any, Callable[[], bool]])
    """Ask whether a kernel that was launched since has written to it: known when that is compiled."""

    def settle(self) -> None:
        """Forgets the contents if one of the doubts is right."""
        doubts, self.doubts = self.doubts, {}
        if any(doubt() for doubt in doubts.values()):
            self.contents, self.assumed = None, False


class Memory:
    """Regions by storage; views share their storage's region, so an offset keeps its true alignment."""

    def __init__(self, pinned: Pinned) -> None:
        self._regions: dict[int, Region] = {}
        self._next = _FIRST_ADDRESS
        self._pinned = pinned
        self.allocations = 0
        self.allocated_bytes = 0
        """Of all storages that were ever seen."""
        self.peak_bytes = 0
        """The most that was alive when somebody looked."""

    def region(self, tensor: Any) -> Region:
        """The region of a tensor's storage, allocated at first sight."""
        storage = tensor.untyped_storage()
        region = self._regions.get(storage._cdata)
        if region is None:
            region = self._allocate(storage)
        return region

    def allocate(self, tensors: Iterable[Any]) -> None:
        """Gives each tensor on the device its place."""
        for tensor in tensors:
            if tensor.fake_device.type == "cuda":
                self.region(tensor)

    def _allocate(self, storage: Any) -> Region:
        self.allocations += 1
        if self.allocations % _SWEEP_EVERY == 0:
            self.live()
        size = int(storage.nbytes())
        region = Region(self._next, size, None, _reductions.StorageWeakRef(storage))
        self._next += (size // ALIGNMENT_BYTES + 1) * ALIGNMENT_BYTES
        self.allocated_bytes += size
        self._regions[storage._cdata] = region
        return region

    def live(self) -> tuple[int, int]:
        """How many storages are alive, and their bytes; the dead are forgotten."""
        dead = [key for key, region in self._regions.items() if region.reference.expired()]
        for key in dead:
            del self._regions[key]
        size = sum(region.bytes for region in self._regions.values())
        self.peak_bytes = max(self.peak_bytes, size)
        return len(self._regions), size

    def reset_peak(self) -> None:
        """From now on the peak is what is alive now."""
        self.peak_bytes = 0
        self.live()

    def reaches(self, tensor: Any) -> bool:
        """Whether a kernel can: not a CPU tensor, unless it is pinned or has no memory."""
        if not isinstance(tensor, torch.Tensor) or tensor.is_cuda or not tensor.numel():
            return True
        return tensor.device.type != "cpu" or self._pinned.holds(tensor)

    def address(self, tensor: Any) -> int:
        """The fake address of a tensor's first element, in bytes."""
        return self.region(tensor).address + int(tensor.storage_offset()) * int(tensor.element_size())

    def shadow(self, tensor: Any) -> Any:
        """A CPU tensor with the same contents, sharing memory with all other views; None where unknown."""
        region = self._settled(tensor)
        return None if region.contents is None or region.assumed else _view(tensor, region.contents)

    def typical(self, tensor: Any) -> Any:
        """As `shadow`, where contents were assumed; None where they were not."""
        region = self._settled(tensor)
        return _view(tensor, region.contents) if region.assumed else None

    def _settled(self, tensor: Any) -> Region:
        region = self.region(tensor)
        if region.doubts:
            region.settle()
        return region

    def small(self, tensor: Any) -> bool:
        """Whether contents may be kept for a tensor's storage."""
        return int(tensor.untyped_storage().nbytes()) <= SHADOW_LIMIT_BYTES

    def adopt(self, tensor: Any, contents: Any, assumed: bool = False) -> None:
        """From now on `tensor` (fake, owning its whole storage) holds what the CPU tensor holds."""
        region = self.region(tensor)
        if not self.small(tensor) or tuple(contents.shape) != tuple(tensor.shape) or contents.is_meta:
            return
        with aside():
            region.contents = torch.zeros(max(region.bytes, 1), dtype=torch.uint8).untyped_storage()
            _view(tensor, region.contents).copy_(contents)
        region.assumed = assumed
        region.doubts = {}

    def forget(self, tensor: Any) -> None:
        """The contents of a tensor's storage are unknown from now on."""
        self._forget(self.region(tensor))

    def _forget(self, region: Region, doubt: Doubt | None = None) -> None:
        if doubt is None:
            region.contents, region.assumed, region.doubts = None, False, {}
        elif region.contents is not None:
            region.doubts[doubt[0]] = doubt[1]

    def forget_at(self, addresses: Iterable[int], doubt: Doubt) -> None:
        """The contents of the storages that hold any of these addresses are unknown from now on, if it is so."""
        places = sorted({address for address in addresses if _FIRST_ADDRESS <= address < self._next})
        for region in self._regions.values() if places else ():
            after = bisect_left(places, region.address)
            if after < len(places) and places[after] < region.address + max(region.bytes, 1):
                self._forget(region, doubt)

    def written(self, argument: Any, doubt: Doubt | None = None) -> None:
        """A kernel that was given this argument may have written to it (or, a descriptor, to its base).

        `doubt`: what it is known by, and who answers, when the contents are asked for, whether it has.
        """
        tensor = getattr(argument, "base", argument) if hasattr(argument, "block_shape") else argument
        if isinstance(tensor, torch.Tensor):
            self._forget(self.region(tensor), doubt)


def _view(tensor: Any, contents: Any) -> Any:
    with aside():
        view = torch.empty(0, dtype=tensor.dtype, device="cpu")
        view.set_(contents, tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride()))
        return torch._conj(view) if tensor.is_conj() else view
