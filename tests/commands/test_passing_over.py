"""Hooks are given every file: what has no kernel passes and is not run, what launches none passes too."""

from __future__ import annotations

from pathlib import Path

import pytest

from gluon_inspect.cli import main
from gluon_inspect.errors import CaptureError, NothingLaunched
from gluon_inspect.workflow import inspection

KERNEL = "import triton\n\n@triton.jit\ndef kernel(x):\n    pass\n"
HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.py").write_text("raise SystemExit('it was run')\n")
    (tmp_path / "library.py").write_text(KERNEL)
    return tmp_path


@pytest.mark.parametrize("command", [["report"], ["fix"], ["fix", "--write"]])
@pytest.mark.usefixtures("files")
def test_a_file_without_kernels_is_not_run_and_passes(command: list[str], capsys: pytest.CaptureFixture[str]):
    assert main([*command, "plain.py", "--skip-without-kernels"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("command", [["report", "--jobs", "1"], ["fix"]])
@pytest.mark.usefixtures("files")
def test_a_file_that_launches_none_is_told_and_passes(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def inspected(path: str, *_: object) -> None:
        raise NothingLaunched(f"{path} launched no Triton or Gluon kernel")

    monkeypatch.setattr(inspection, "inspected", inspected)
    assert main([*command, "library.py", "plain.py", "--skip-without-kernels"]) == 0
    assert (
        "gluon-inspect: note: library.py launched no Triton or Gluon kernel: passed over"
        in capsys.readouterr().err
    )
    assert main([*command, "library.py"]) == 2


@pytest.mark.usefixtures("files")
def test_other_errors_are_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    def inspected(*_: object) -> None:
        raise CaptureError("it died")

    monkeypatch.setattr(inspection, "inspected", inspected)
    assert main(["report", "library.py", "--skip-without-kernels", "--jobs", "1"]) == 2
    assert "it died" in capsys.readouterr().err
    assert main(["report", "absent.py", "--skip-without-kernels", "--jobs", "1"]) == 2


def test_the_hooks_are_commands_that_exist(files: Path):
    entries = [line.split("gluon-inspect ", 1)[1] for line in HOOKS.read_text().splitlines() if "entry:" in line]
    assert [entry.split()[0] for entry in entries] == ["report", "fix"]
    for entry in entries:
        assert main([*entry.split(), str(files / "plain.py")]) == 0
