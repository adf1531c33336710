"""As much of torch as the timer needs: time passes only when something is launched."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace


class Clock:
    def __init__(self) -> None:
        self.now = 0.0


class Event:
    def __init__(self, clock: Clock) -> None:
        self._clock, self.at = clock, 0.0

    def record(self) -> None:
        self.at = self._clock.now

    def elapsed_time(self, other: Event) -> float:
        return other.at - self.at


class Buffer:
    def __init__(self, torch: FakeTorch) -> None:
        self._torch = torch

    def zero_(self) -> Buffer:
        self._torch.flushes += 1
        self._torch.spend(FakeTorch.FLUSH_MS)
        return self

    def fill_(self, _: int) -> Buffer:
        return self

    def copy_(self, _: Buffer) -> Buffer:
        self._torch.spend(self._torch.copy_ms)
        return self


class Graph:
    def __init__(self, torch: FakeTorch) -> None:
        self._torch, self.work = torch, 0.0

    def replay(self) -> None:
        self._torch.clock.now += self.work


class FakeTorch:
    """`launch_ms`: what events see of any launch beside the kernel itself."""

    FLUSH_MS = 0.1
    int32 = "int32"

    def __init__(self, *, launch_ms: float = 0.0, capturable: bool = True, free_bytes: int = 1 << 33) -> None:
        self.clock, self.launch_ms, self.capturable, self.copy_ms = Clock(), launch_ms, capturable, 1.0
        self._capturing: Graph | None = None
        self.flushes = 0
        self.cuda = SimpleNamespace(
            Event=self._event,
            synchronize=lambda: None,
            CUDAGraph=lambda: Graph(self),
            graph=self._capture,
            current_stream=lambda: SimpleNamespace(cuda_stream=7),
            mem_get_info=lambda: (free_bytes, free_bytes),
        )

    def _event(self, *, enable_timing: bool) -> Event:
        assert enable_timing
        return Event(self.clock)

    def empty(self, *_: object, **__: object) -> Buffer:
        return Buffer(self)

    def empty_like(self, _: Buffer) -> Buffer:
        return Buffer(self)

    def spend(self, milliseconds: float) -> None:
        if self._capturing is not None:
            self._capturing.work += milliseconds
        else:
            self.clock.now += milliseconds

    def launch(self, milliseconds: float) -> None:
        self.spend(milliseconds + (0.0 if self._capturing else self.launch_ms))

    @contextmanager
    def _capture(self, graph: Graph):
        if not self.capturable:
            raise RuntimeError("operation not permitted when stream is capturing")
        self._capturing = graph
        try:
            yield
        finally:
            self._capturing = None
