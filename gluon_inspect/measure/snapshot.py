"""What a launch may write, kept and put back, so that repeating it leaves the script's data alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Device(Protocol):
    """The part of torch.cuda that tells how much fits."""

    def mem_get_info(self) -> tuple[int, int]:
        """Free and total bytes."""
        ...


class Snapshot:
    """Copies of the storages behind some tensors; `complete` is False where they did not fit."""

    def __init__(self, tensors: Sequence[Any], device: Device, *, reserve_bytes: int) -> None:
        storages = {each.untyped_storage().data_ptr(): each.untyped_storage() for each in tensors}
        needed = sum(storage.nbytes() for storage in storages.values())
        self.complete = needed + reserve_bytes <= device.mem_get_info()[0]
        self._kept = [(s, s.clone()) for s in storages.values()] if self.complete else []

    def restore(self) -> None:
        """Puts the contents back."""
        for storage, copy in self._kept:
            storage.copy_(copy)
