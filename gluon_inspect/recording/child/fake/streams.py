"""Streams, events and graphs of a device on which everything has already happened."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Generator
from typing import Any

torch: Any = importlib.import_module("torch")


class Stream:
    """A stream that has always finished."""

    cuda_stream = 0
    native_handle = 0
    stream_id = 0
    device_index = 0
    device_type = 1
    priority = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        self.device = torch.device("cuda", 0)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Least and greatest priority, as Hopper's driver has them."""
        return 0, -5

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def synchronize(self) -> None:
        """Nothing is ever outstanding."""

    def wait_stream(self, _: Any) -> None:
        """Nothing is ever outstanding."""

    def wait_event(self, _: Any) -> None:
        """Nothing is ever outstanding."""

    def record_event(self, event: Any = None) -> Any:
        """An event that has happened."""
        return event or Event()

    def query(self) -> bool:
        """Whether all work is done."""
        return True

    def is_capturing(self) -> bool:
        """Never: what a graph captures is recorded as ever."""
        return False


class Event:
    """An event that has happened; 1 ms lies between any two."""

    cuda_event = 0
    event_id = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        self.device = torch.device("cuda", 0)

    def ipc_handle(self) -> bytes:
        """A handle that means nothing."""
        return b""

    def record(self, *_: Any) -> None:
        """Happens at once."""

    def wait(self, *_: Any) -> None:
        """Has happened."""

    def synchronize(self) -> None:
        """Has happened."""

    def query(self) -> bool:
        """Has happened."""
        return True

    def elapsed_time(self, _: Any) -> float:
        """Milliseconds, the same for everything: nothing was timed."""
        return 1.0


class Graph:
    """A graph whose work was recorded while it was captured; replaying it adds nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        return None

    def capture_begin(self, *_: Any, **__: Any) -> None:
        """Launches are recorded as ever."""

    def capture_end(self) -> None:
        """Launches are recorded as ever."""

    def replay(self) -> None:
        """Recorded already."""

    def reset(self) -> None:
        """Holds nothing."""

    def pool(self) -> tuple[int, int]:
        """A handle that means nothing."""
        return (0, 0)

    def instantiate(self) -> None:
        """Nothing to build."""

    def enable_debug_mode(self) -> None:
        """There is nothing to look into."""

    def debug_dump(self, _: str) -> None:
        """There is nothing to write."""


class Pool:
    """A memory pool that holds nothing of its own."""

    id = (0, 0)
    allocator = None

    def __init__(self, *_: Any, **__: Any) -> None:
        return None

    def use_count(self) -> int:
        """One: its owner."""
        return 1

    def snapshot(self, *_: Any, **__: Any) -> list[Any]:
        """No segments."""
        return []


@contextlib.contextmanager
def capturing(*_: Any, **__: Any) -> Generator[None]:
    """torch.cuda.graph: what is launched inside is recorded as ever."""
    yield


@contextlib.contextmanager
def on_stream(stream: Any = None) -> Generator[Any]:
    """torch.cuda.stream."""
    yield stream


def graphed(callables: Any, *_: Any, **__: Any) -> Any:
    """torch.cuda.make_graphed_callables: each call launches what a replay would."""
    return callables


def same_for_all(value: Any) -> Callable[..., Any]:
    """A function that gives one answer, whatever it is asked."""

    def answer(*_: Any, **__: Any) -> Any:
        return value

    return answer
