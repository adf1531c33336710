"""Chunks over processes. A worker that dies costs its own chunk, and what is done is not done again."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

from scripts.fuzz.tries import Chunk, run_chunk

Result = tuple[Chunk, Counter[str]]
CHUNK = 250
_CHUNKS_A_PROCESS = 40
"""After these a fresh process: what the caches of the last one held goes with it."""


def chunks(kinds: Iterable[str], seed: int, first: int, count: int, *, commands: bool = False) -> list[Chunk]:
    """The tries `first` to `first + count` of each kind, kinds in turn, so that a part of it is a part of each."""
    places = range(first, first + count, CHUNK)
    end = first + count
    return [Chunk(kind, seed, at, min(CHUNK, end - at), commands) for at in places for kind in kinds]


def run_all(
    work: Sequence[Chunk], jobs: int, keep: str, seconds: float | None, done: Callable[[Result], None]
) -> None:
    """Run chunks, `jobs` at a time, and tell `done` of each; none is begun after `seconds`."""
    waiting: queue.SimpleQueue[Chunk] = queue.SimpleQueue()
    for chunk in work:
        waiting.put(chunk)
    end = None if seconds is None else time.monotonic() + seconds
    lock = threading.Lock()

    def told(result: Result) -> None:
        with lock:
            done(result)

    threads = [threading.Thread(target=_drive, args=(waiting, keep, end, told)) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _drive(
    waiting: queue.SimpleQueue[Chunk], keep: str, end: float | None, done: Callable[[Result], None]
) -> None:
    """One process after the other, each for some chunks, until none waits or the time is over."""
    while not waiting.empty() and not _is_over(end):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            for _ in range(_CHUNKS_A_PROCESS):
                chunk = _next(waiting)
                if chunk is None or _is_over(end):
                    return
                try:
                    done((chunk, pool.submit(run_chunk, chunk, keep).result()))
                except BrokenExecutor:
                    done((chunk, Counter({"a worker died": 1})))
                    break


def _next(waiting: queue.SimpleQueue[Chunk]) -> Chunk | None:
    try:
        return waiting.get_nowait()
    except queue.Empty:
        return None


def _is_over(end: float | None) -> bool:
    return end is not None and time.monotonic() >= end


class Results:
    """A file of JSON lines, one a chunk, that a later run goes on with."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[Chunk, Counter[str]]:
        """What is done already."""
        lines = self._path.read_text().splitlines() if self._path.exists() else []
        found = (json.loads(line) for line in lines)
        return {Chunk(**each["chunk"]): Counter(each["found"]) for each in found}

    def add(self, result: Result) -> None:
        """One more chunk is done."""
        with self._path.open("a") as file:
            file.write(json.dumps({"chunk": asdict(result[0]), "found": result[1]}) + "\n")
