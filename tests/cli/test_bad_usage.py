from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gluon_inspect.cli import main
from gluon_inspect.errors import UsageError

WRONG = {
    "arg without value": (["--arg", "n"], "--arg 'n' is not NAME=VALUE"),
    "arg that is no number": (["--arg", "n=many"], "'many' is no number"),
    "assumption without value": (["--assume", "n"], "--assume 'n' is not NAME=VALUE"),
    "given and assumed": (["--arg", "n=1", "--assume", "n=2"], "n: given and assumed at once"),
    "absent arg file": (["--arg-file", "/no/such/file.json"], "--arg-file /no/such/file.json: "),
    "grid of four": (["--grid", "1,2,3,4"], "--grid '1,2,3,4' is not X[,Y[,Z]]"),
    "grid of zero": (["--grid", "0"], "--grid '0' is not X[,Y[,Z]]"),
    "grid beyond a launch": (["--grid", "1,70000"], "--grid '1,70000' is more than can be launched"),
    "timeout in the past": (["--timeout", "-1"], "--timeout -1 is no time to wait"),
    "fail-on of no rule": (["--fail-on", "GI999"], "'GI999' is neither a severity nor a rule"),
    "programs of none": (["--programs", "0"], "--programs '0' is neither all nor a positive number"),
    "unknown format": (["--format", "yaml"], "unknown format 'yaml'"),
    "two formats in one place": (["--format", "text", "--format", "json"], "two formats go to the same place"),
    "fail-on of nothing known": (["--fail-on", "Sometimes"], "'Sometimes' is neither a severity nor a rule"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_options_are_one_line_on_stderr_and_exit_2(
    case: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    options, message = WRONG[case]
    assert main(["report", str(tmp_path / "kernel.ttgir"), *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gluon-inspect: error: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_an_unknown_rule_is_refused(capsys: pytest.CaptureFixture[str]):
    assert main(["rules", "GI000"]) == 2
    assert "no rule is called 'GI000'" in capsys.readouterr().err


def test_interruption_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    from gluon_inspect.commands import rules

    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(rules, "run", interrupted)
    assert main(["rules"]) == 130
    assert capsys.readouterr().err == "gluon-inspect: interrupted\n"


def test_a_bug_is_a_line_a_file_and_exit_70(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    from gluon_inspect.commands import rules

    def broken(_: object) -> int:
        raise ZeroDivisionError("nought")

    monkeypatch.setattr(rules, "run", broken)
    monkeypatch.setenv("GLUON_INSPECT_CACHE", str(tmp_path))
    assert main(["rules"]) == 70
    told = capsys.readouterr().err
    assert (
        "fault: gluon-inspect rules: a fault of gluon-inspect, not of the input: ZeroDivisionError: nought" in told
    )
    assert "Traceback" not in told
    (kept,) = (tmp_path / "faults").iterdir()
    assert "Traceback" in kept.read_text()
    assert str(kept) in told


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    from gluon_inspect.commands import rules

    monkeypatch.setattr(rules, "run", lambda _: 1 // 0)
    assert main(["rules", "--debug"]) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_words_after_the_dashes_belong_to_the_script(monkeypatch: pytest.MonkeyPatch):
    from gluon_inspect.commands import report

    seen: list[tuple[str, ...]] = []

    def remember(arguments: object) -> int:
        seen.append(arguments.script_arguments)  # type: ignore[attr-defined]
        return 0

    monkeypatch.setattr(report, "run", remember)
    assert main(["report", "script.py", "--", "--target", "of-the-script", "--"]) == 0
    assert seen == [("--target", "of-the-script", "--")]


def test_a_full_standard_output_is_one_line_on_stderr(monkeypatch: pytest.MonkeyPatch):
    from gluon_inspect.commands._output import write_text

    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        with pytest.raises(UsageError, match="cannot write to standard output"):
            write_text("x" * 100_000, None)


@pytest.mark.parametrize("command", [("report", "/gone.ttgir"), ("rules", "NOPE"), ("report", "--nope")])
def test_a_full_standard_error_leaves_the_exit_code(command: tuple[str, ...]):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gluon_inspect", *command], stdout=subprocess.PIPE, stderr=full, check=False
        )
    assert (done.returncode, done.stdout) == (2, b"")
