"""Times of one launch: cold L2, many repeats, two series in turns; graphs for what is shorter than a launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from gluon_inspect.measure.clocks import UNKNOWN, Reading
from gluon_inspect.measure.statistics import interleaved, quantile
from gluon_inspect.model.report import Timing

Run = Callable[[int], None]
_FLUSH_BYTES = 256 * 1024 * 1024
"""Written before each launch: twice the largest L2 of a GPU here, so that nothing of the last launch is left."""
_SHORT_MS = 0.05
"""Below it, events around a launch see the launch as much as the kernel."""
_WARM_UP = 3
_LEAST, _MOST = 8, 100
_GRAPH_LAUNCHES = 20
_COPY_BYTES = 1 << 32
"""A copy of 1 GiB reaches 2 % less than the longest kernels do."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A timing, how it was made, what speaks against it (empty: nothing), and the clocks before and after."""

    time_ms: Timing
    method: str
    doubt: str = ""
    clocks: tuple[Reading, Reading] = (UNKNOWN, UNKNOWN)


class Timer:
    """Times launches on the current device and stream. `torch` is passed in, so that tests need no GPU."""

    def __init__(
        self, torch: Any, budget_seconds: float = 0.4, clocks: Callable[[], Reading] = lambda: UNKNOWN
    ) -> None:
        self._torch, self._clocks = torch, clocks
        self._budget_ms = budget_seconds * 1e3
        self._flush = torch.empty(_FLUSH_BYTES // 4, dtype=torch.int32, device="cuda")

    def time(self, run: Run, stream: int) -> Timed:
        """Time one launch. Raises whatever the launch raises."""
        for _ in range(_WARM_UP):
            self._once(run, stream)
        before = self._clocks()
        found = self._series(run, stream)
        return replace(found, clocks=(before, self._clocks()))

    def _series(self, run: Run, stream: int) -> Timed:
        estimate = self._once(run, stream)
        repeats = max(_LEAST, min(_MOST, int(self._budget_ms / 2 / max(estimate, 0.05))))
        first: list[float] = []
        second: list[float] = []
        for _ in range(repeats):
            first.append(self._once(run, stream))
            second.append(self._once(run, stream))
        found, doubt = interleaved(first, second)
        if found.median >= _SHORT_MS:
            return Timed(found, "events around each launch, L2 flushed before", doubt)
        return self._in_graphs(run) or Timed(found, "events around each launch, L2 flushed before", doubt)

    def _once(self, run: Run, stream: int) -> float:
        cuda = self._torch.cuda
        start, stop = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        self._flush.zero_()
        start.record()
        run(stream)
        stop.record()
        cuda.synchronize()
        return float(start.elapsed_time(stop))

    def _in_graphs(self, run: Run) -> Timed | None:
        """Flush and launch in a graph, less a graph of flushes: the launch itself costs nothing there.

        None where the launch cannot be captured.
        """
        try:
            both = self._graph(lambda stream: (self._flush.zero_(), run(stream)))
        except RuntimeError:
            return None
        alone = self._graph(lambda _: self._flush.zero_())
        first: list[float] = []
        second: list[float] = []
        for _ in range(_LEAST):
            first.append(self._difference(both, alone))
            second.append(self._difference(both, alone))
        found, doubt = interleaved(first, second)
        if found.median <= 0:
            return None
        return Timed(found, f"graphs of {_GRAPH_LAUNCHES} launches with flushes, less the flushes", doubt)

    def _difference(self, both: Any, alone: Any) -> float:
        return (self._replayed(both) - self._replayed(alone)) / _GRAPH_LAUNCHES

    def _replayed(self, graph: Any) -> float:
        cuda = self._torch.cuda
        start, stop = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        stop.record()
        cuda.synchronize()
        return float(start.elapsed_time(stop))

    def _graph(self, body: Callable[[int], object]) -> Any:
        cuda = self._torch.cuda
        graph = cuda.CUDAGraph()
        cuda.synchronize()
        with cuda.graph(graph):
            stream = cuda.current_stream().cuda_stream
            for _ in range(_GRAPH_LAUNCHES):
                body(stream)
        return graph


def copy_bandwidth(torch: Any, repeats: int = 15) -> float:
    """Bytes a second, read plus written, of a device-to-device copy of up to 4 GiB."""
    free = torch.cuda.mem_get_info()[0]
    size = max(1 << 20, min(_COPY_BYTES, free // 8))
    src = torch.empty(size // 4, dtype=torch.int32, device="cuda").fill_(1)
    dst = torch.empty_like(src)
    times = [_timed_copy(torch, src, dst) for _ in range(repeats + 3)][3:]
    return 2.0 * size / (quantile(times, 0.5) * 1e-3)


def _timed_copy(torch: Any, src: Any, dst: Any) -> float:
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    dst.copy_(src)
    stop.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(stop))
