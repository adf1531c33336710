"""`gluon-inspect fix` from a script to the written file, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from gluon_inspect.cli import main
from gluon_inspect.commands.fix import _told, _write
from gluon_inspect.errors import UsageError
from gluon_inspect.explaining.fixes import Fixed
from gluon_inspect.fixing.patch import Sources

SCRIPT = '''\
"""Copies tiles."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy(src, dst, ROWS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0])  # down the rows
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    place = row[:, None] * 64 + column[None, :]
    gl.store(dst + place, gl.load(src + place))


src = torch.randn(65536, 64, device="cuda")
copy[(1024,)](src, torch.empty_like(src), 64)
'''


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "kernels.py"
    file.write_bytes(SCRIPT.replace("\n", "\r\n").encode())
    return file


def test_a_layout_is_changed_compiled_and_written(script: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["fix", "kernels.py"]) == 1
    patch = capsys.readouterr().out
    assert script.read_bytes() == SCRIPT.replace("\n", "\r\n").encode()

    assert main(["fix", "kernels.py", "--write"]) == 0
    told = capsys.readouterr()
    applied = script.read_bytes()
    subprocess.run(["git", "apply", "--reverse", "--check", "-"], input=patch.encode(), check=True)
    before, after = SCRIPT.splitlines(), applied.decode().split("\r\n")
    assert [new for old, new in zip(before, after, strict=False) if old != new] == [
        "    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])  # down the rows"
    ]
    assert "findings" in told.out
    assert "1 proposal in kernels.py, compiled and inspected: all launches take" in told.err


def test_a_capture_gives_a_predicted_diff_and_is_never_written(capsys: pytest.CaptureFixture[str]):
    capture = str(Path(__file__).parents[1] / "tui" / "data" / "kernels.gi")
    assert main(["fix", capture, "--write"]) == 2
    assert "is compiled: only a script's files are written, since it can be run again" in capsys.readouterr().err
    main(["fix", capture])
    told = capsys.readouterr()
    assert "predicted, not compiled" in told.err or "nothing was changed" in told.err


def test_one_target_at_a_time(capsys: pytest.CaptureFixture[str]):
    assert main(["fix", "a.py", "--target", "cuda:90", "--target", "cuda:80"]) == 2
    assert (
        "fix takes one target (hint: what is better for one may be worse for another)" in capsys.readouterr().err
    )


def test_a_terminal_is_shown_no_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """What a capture's source holds may be anything: in a pipe it is the patch's, on a terminal it is shown."""
    file = "/x/\x1b[2J.py"
    text = "a = 1  # \x1b]0;owned\x07\n\tb\n"
    fixed = Fixed((), (), {file: text.replace("1", "2", 1)})
    for is_terminal, shown in (
        (True, "+a = 2  # \\x1b]0;owned\\x07\n \tb\n"),
        (False, "+a = 2  # \x1b]0;owned\x07\n \tb\n"),
    ):
        monkeypatch.setattr(sys.stdout, "isatty", lambda answer=is_terminal: answer)
        assert _told(fixed, Sources({file: text}), Namespace(write=False)) == 1
        out = capsys.readouterr().out
        assert out.endswith(shown)
        assert out.startswith("--- a/x/\\x1b[2J.py\n+++ b/x/\\x1b[2J.py\n")


def test_what_git_does_not_have_is_not_written_over(script: Path):
    subprocess.run(["git", "init", "-q"], check=True)
    before = script.read_text()
    fixed, sources = Fixed((), (), {str(script): "new\n"}), Sources({str(script): script.read_bytes().decode()})
    with pytest.raises(UsageError) as raised:
        _write(fixed, sources, allow_dirty=False)
    assert str(raised.value) == (
        "kernels.py: not committed, so nothing was written (hint: commit or stash it, or --allow-dirty)"
    )
    assert script.read_text() == before
    _write(fixed, sources, allow_dirty=True)
    assert script.read_text() == "new\n"
