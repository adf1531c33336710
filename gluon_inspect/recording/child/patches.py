"""Attributes replaced for the time of a recording, put back in reverse order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any

_MISSING = object()


class Patches:
    """A stack of replaced attributes and items; leaving it restores all of them, last first."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> Patches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replaces an attribute; one that the owner itself did not have is deleted on restoring."""
        before: Any = owner.__dict__.get(name, _MISSING)
        setattr(owner, name, value)
        self._stack.callback(_restore, owner, name, before)

    def enter(self, context: Any) -> Any:
        """Enters a context manager, left when the patches are undone."""
        return self._stack.enter_context(context)

    def on_exit(self, undo: Callable[[], object]) -> None:
        """Runs `undo` when the patches are undone."""
        self._stack.callback(undo)


def _restore(owner: Any, name: str, before: Any) -> None:
    if before is _MISSING:
        delattr(owner, name)
    else:
        setattr(owner, name, before)
