"""Work in the background: the last of a key is done, what it replaces is given up, failures are told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from gluon_inspect.bulkheads import Fault
from gluon_inspect.errors import CaptureError, InspectError
from gluon_inspect.lsp import background
from gluon_inspect.lsp.background import Background
from gluon_inspect.model.request import Tell

SECONDS = 20


class Told:
    def __init__(self) -> None:
        self.failed: list[tuple[str, str]] = []
        self.doing: list[tuple[str, str]] = []

    def fail(self, key: str, error: InspectError | Fault) -> None:
        self.failed.append((key, error.error if isinstance(error, Fault) else error.message))

    def do(self, key: str, doing: str) -> None:
        self.doing.append((key, doing))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def work(told: Told, monkeypatch: pytest.MonkeyPatch) -> Iterator[Background]:
    monkeypatch.setattr(background, "prepared", nullcontext)
    made = Background(told.fail, told.do)
    made.start()
    yield made
    made.stop()


def test_what_is_under_way_is_given_up_for_what_comes_after(work: Background):
    begun, done = threading.Event(), threading.Event()
    given_up: list[str] = []

    def first(tell: Tell) -> None:
        begun.set()
        try:
            while True:
                tell("still at it")
        finally:
            given_up.append("first")

    work.ask("kernels.py", first)
    assert begun.wait(SECONDS)
    work.ask("kernels.py", lambda _: done.set())
    assert done.wait(SECONDS)
    assert given_up == ["first"]


def test_keys_wait_for_each_other_and_the_last_of_each_is_done(work: Background):
    go, done, order = threading.Event(), threading.Event(), list[str]()

    def first(_: Tell) -> None:
        go.wait(SECONDS)
        order.append("first")

    def last(_: Tell) -> None:
        order.append("a")
        done.set()

    work.ask("first", first)
    work.ask("a", lambda _: order.append("old a"))
    work.ask("b", lambda _: order.append("b"))
    work.ask("a", last)
    go.set()
    assert done.wait(SECONDS)
    assert order == ["first", "b", "a"]


def test_errors_and_faults_are_told_and_the_next_is_done(work: Background, told: Told):
    done = threading.Event()

    def error(_: Tell) -> None:
        raise CaptureError("no such script")

    def fault(_: Tell) -> None:
        raise KeyError("bug")

    work.ask("a", error)
    work.ask("b", fault)
    work.ask("c", lambda _: done.set())
    assert done.wait(SECONDS)
    assert [key for key, _ in told.failed] == ["a", "b"]
    assert told.failed[0][1] == "no such script"
    assert told.failed[1][1].startswith("KeyError")
    assert ("a", "") in told.doing
