"""The fuzzing itself: the same inputs for a seed, failures that are seen, runs that are gone on with."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gluon_inspect.errors import UsageError
from scripts.fuzz.spread import CHUNK, Results, chunks
from scripts.fuzz.subjects import SUBJECTS, Failed, changed, seeds_of
from scripts.fuzz.tries import Chunk, attempt


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Whatever the tries set is put back."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGPROF, signal.SIGALRM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("kind", SUBJECTS)
def test_a_seed_gives_the_same_inputs(kind: str):
    first = [changed(kind, 7, number) for number in range(8)]
    assert first == [changed(kind, 7, number) for number in range(8)]
    assert len({*first, *seeds_of(kind)}) > len(seeds_of(kind))


def raising(error: BaseException) -> Callable[[Path], None]:
    def use(_: Path) -> None:
        raise error

    return use


def endless(_: Path) -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (lambda path: path.read_bytes(), "read"),
        (raising(UsageError("no")), "refused"),
        (raising(IndexError("there")), "fault: IndexError: there (bulkheads.py:"),
        (raising(Failed("KeyError: 'x' (ir/graph.py:3)")), "fault: KeyError: 'x' (ir/graph.py:3)"),
        (raising(MemoryError()), "memory"),
        (raising(SystemExit(3)), "exit 3"),
        (endless, "hang: more than 0.05 s"),
    ],
)
def test_every_end_has_its_name(
    use: Callable[[Path], None], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)
    assert attempt("ttgir", use, b"", tmp_path, seconds=0.05).startswith(told)


def test_kinds_take_turns():
    work = chunks(["a", "b"], 3, 100, CHUNK + 1)
    assert [(one.kind, one.first, one.count) for one in work] == [
        ("a", 100, CHUNK), ("b", 100, CHUNK), ("a", 100 + CHUNK, 1), ("b", 100 + CHUNK, 1),
    ]  # fmt: skip


def test_a_run_is_gone_on_with(tmp_path: Path):
    results = Results(tmp_path / "results.jsonl")
    assert results.read() == {}
    done = Chunk("ptx", 1, 0, 3), Counter({"read": 2, "refused": 1})
    results.add(done)
    assert results.read() == dict([done])
