from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gluon_inspect.cli import main
from gluon_inspect.commands import commands
from gluon_inspect.commands._output import progress
from gluon_inspect.recording.missing import how_to_install

MISTYPED = {
    "command": (["raport", "a.py"], "'raport' is no command; did you mean report? (see gluon-inspect --help)"),
    "option": (
        ["report", "a.py", "--formta=json"],
        "no option '--formta=json'; did you mean --format? (see gluon-inspect report --help)",
    ),
    "argument too many": (["capture", "--help-me"], "the following arguments are required"),
    "choice": (
        ["rules", "--format", "jason"],
        "not 'jason'; did you mean json? (see gluon-inspect rules --help)",
    ),
}


@pytest.mark.parametrize("case", MISTYPED)
def test_what_is_mistyped_is_one_line_with_the_nearest_word(case: str, capsys: pytest.CaptureFixture[str]):
    words, message = MISTYPED[case]
    with pytest.raises(SystemExit) as ended:
        main(words)
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert told.startswith("gluon-inspect: error: ")
    assert message in told
    assert told.count("\n") == 1


def test_a_path_in_the_place_of_a_command_names_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    script = tmp_path / "kernels.py"
    script.write_text("")
    with pytest.raises(SystemExit):
        main([str(script)])
    assert f"did you mean gluon-inspect report {script}?" in capsys.readouterr().err


def test_no_words_at_all_show_the_help(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: gluon-inspect")


def test_an_unknown_rule_names_the_nearest(capsys: pytest.CaptureFixture[str]):
    assert main(["rules", "wavefornt"]) == 2
    assert "no rule is called 'wavefornt'; did you mean wavefront?" in capsys.readouterr().err


def test_options_may_stand_between_paths(monkeypatch: pytest.MonkeyPatch):
    seen = []
    monkeypatch.setattr("gluon_inspect.commands.report.run", lambda arguments: seen.append(arguments) or 0)
    assert main(["report", "a.py", "--brief", "b.py", "--", "--brief", "c"]) == 0
    assert seen[0].paths == ["a.py", "b.py"]
    assert seen[0].script_arguments == ("--brief", "c")


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.NAME)
def test_every_command_helps_with_examples_that_name_it(command, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main([command.NAME, "--help"])
    usage, _, below = capsys.readouterr().out.partition("examples:\n")
    assert usage.startswith(f"usage: gluon-inspect {command.NAME}")
    assert f"gluon-inspect {command.NAME}" in below


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("gluon-inspect rep", "report"),
        ("gluon-inspect report --bas", "--baseline"),
        ("gluon-inspect report a.py --target hip", "hip:gfx942"),
    ],
)
def test_the_shell_completes(typed: str, offered: str, tmp_path: Path):
    answers = tmp_path / "answers"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SHELL": "fish",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answers),
        "COMP_LINE": typed,
        "COMP_POINT": str(len(typed)),
    }
    subprocess.run([sys.executable, "-m", "gluon_inspect"], env={**os.environ, **asked}, check=True)
    assert offered in answers.read_text()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_tool(shell: str, capsys: pytest.CaptureFixture[str]):
    assert main(["completion", shell]) == 0
    assert "gluon-inspect" in capsys.readouterr().out


def test_progress_speaks_now_and_then_where_nobody_redraws(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    moments = iter([0.0, 1.0, 31.0, 32.0, 62.0])
    monkeypatch.setattr("gluon_inspect.commands._output.monotonic", lambda: next(moments))
    with progress() as tell:
        for doing in ("recording: 0 launches", "recording: 1 launch", "recording: 2 launches", "analysing"):
            tell(doing)
    assert capsys.readouterr().err.splitlines() == [
        "gluon-inspect: 31 s: recording: 1 launch",
        "gluon-inspect: 62 s: analysing",
    ]


@pytest.mark.parametrize(
    ("platform", "command"),
    [
        ("linux", "pip install torch --index-url https://download.pytorch.org/whl/cpu (no GPU build is needed)"),
        ("darwin", "pip install torch (no GPU build is needed)"),
    ],
)
def test_a_missing_torch_is_installed_without_its_gpu_build(platform: str, command: str):
    assert how_to_install("torch", platform) == command
    assert how_to_install("triton", platform) == "pip install triton"
