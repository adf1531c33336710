"""Host memory that a kernel may read: what a script pinned, of which a CPU build of torch knows nothing."""

from __future__ import annotations

import importlib
from typing import Any

torch: Any = importlib.import_module("torch")
_reductions: Any = importlib.import_module("torch.multiprocessing.reductions")


class Pinned:
    """The storages that were pinned, as long as they live."""

    def __init__(self) -> None:
        self._storages: dict[int, Any] = {}

    def pin(self, tensor: Any, *_: Any, **__: Any) -> Any:
        """The tensor itself, known as pinned from now on."""
        storage = tensor.untyped_storage()
        self._storages[storage._cdata] = _reductions.StorageWeakRef(storage)
        return tensor

    def holds(self, tensor: Any, *_: Any, **__: Any) -> bool:
        """Whether a tensor's storage is pinned."""
        found = self._storages.get(tensor.untyped_storage()._cdata)
        return found is not None and not found.expired()
