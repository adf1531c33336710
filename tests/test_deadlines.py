"""Work that takes too long ends in an error that says so; the rest stands. No test here waits for a clock."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from gluon_inspect import pipeline
from gluon_inspect.analyses import coalescing
from gluon_inspect.cli import main
from gluon_inspect.commands import _options
from gluon_inspect.deadlines import OutOfTime, within
from gluon_inspect.loading import load

IR = Path(__file__).parent / "data" / "shared" / "narrow_copy.ttgir"
GIVEN = ["--arg", "stride=64", "--grid", "4"]
SOON = 0.05


def endless(*_: object, **__: object) -> None:
    while True:
        pass


def stubborn(*_: object) -> None:
    while True:
        with suppress(Exception):
            endless()


class Swallowing:
    """What is raised in a destructor is printed and gone."""

    def __del__(self) -> None:
        endless()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("work", [endless, stubborn, lambda: (Swallowing(), endless())])
def test_endless_work_is_given_up(work: object):
    with pytest.raises(OutOfTime, match=r"k: not analysed within 0\.05 s") as caught:
        within(SOON, "k: not analysed", work)  # pyright: ignore[reportArgumentType]
    assert "--analysis-timeout 0" in caught.value.hint


def test_in_another_thread_too():
    ended: list[BaseException] = []

    def run() -> None:
        try:
            within(SOON, "k: not analysed", endless)
        except OutOfTime as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert [type(error) for error in ended] == [OutOfTime]


@pytest.mark.parametrize("seconds", [None, 0, 600])
def test_what_ends_in_time_is_as_without_a_limit(seconds: float | None):
    assert within(seconds, "k", lambda: 3) == 3
    with pytest.raises(KeyError):
        within(seconds, "k", lambda: {}["x"])
    assert not [thread for thread in threading.enumerate() if thread.name == "deadline" and not thread.daemon]


def test_a_call_that_comes_too_late_hits_nothing_else():
    for _ in range(300):
        with suppress(OutOfTime):
            within(1e-4, "k", lambda: sum(range(1000)))
    assert sum(range(1000)) == 499500


def test_a_launch_that_takes_too_long_leaves_the_others(monkeypatch: pytest.MonkeyPatch):
    capture = load(IR, args={"stride": 64}, grid=(4, 1, 1))
    (kernel,) = capture.kernels
    launches = (kernel.launches[0], replace(kernel.launches[0], id="second"))
    real = coalescing.run
    monkeypatch.setattr(coalescing, "run", lambda facts: real(facts) if facts.launch.id != "second" else endless())
    both = replace(capture, kernels=(replace(kernel, launches=launches),))
    first, second = pipeline.inspect(both, seconds=5).kernels
    assert first.accesses
    assert not first.unread
    assert second.unread == (
        f"{kernel.name} for cuda:90, second: not analysed within 5 s "
        "(hint: --analysis-timeout 0 waits as long as it takes)"
    )


def test_the_command_says_what_it_gave_up(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(coalescing, "run", endless)
    assert main(["report", str(IR), *GIVEN, "--format", "json", "--analysis-timeout", "1"]) == 2
    captured = capsys.readouterr()
    assert "not analysed within 1 s" in captured.err
    (kernel,) = json.loads(captured.out)["kernels"]
    assert "not analysed within 1 s" in kernel["error"]


def test_an_input_that_takes_too_long_to_read_is_given_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    import gluon_inspect.loading

    monkeypatch.setattr(gluon_inspect.loading, "load", endless)
    assert main(["report", str(IR), "--analysis-timeout", "0.1"]) == 2
    assert f"{IR}: not read within 0.1 s" in capsys.readouterr().err


def test_an_explanation_that_takes_too_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    from gluon_inspect.explaining import explanation

    monkeypatch.setattr(explanation, "explain", endless)
    assert main(["explain", str(IR), *GIVEN, "--analysis-timeout", "5"]) == 2
    assert "not explained within 5 s" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["-1", "nan"])
def test_a_limit_that_is_none_is_refused(seconds: str, capsys: pytest.CaptureFixture[str]):
    assert main(["report", str(IR), "--analysis-timeout", seconds]) == 2
    assert "is no time to wait (hint: seconds, or 0)" in capsys.readouterr().err


def test_scripts_are_bounded_in_ci_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CI", raising=False)
    assert _options._script_seconds(None) is None
    monkeypatch.setenv("CI", "true")
    assert _options._script_seconds(None) == 1800
    assert _options._script_seconds(60) == 60
