"""A fault in one part costs that part: the others stand, the report says so, and the exit code is 70."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gluon_inspect import pipeline
from gluon_inspect.analyses import coalescing
from gluon_inspect.bulkheads import Fault, FaultError, contained
from gluon_inspect.cli import main
from gluon_inspect.errors import UsageError
from gluon_inspect.facts.kernel import KernelFacts, facts_of
from gluon_inspect.loading import load
from gluon_inspect.model.artifact import Capture, Launch
from gluon_inspect.report import sarif

ROOT = Path(__file__).parents[2]
IR = ROOT / "tests" / "data" / "shared" / "narrow_copy.ttgir"
GIVEN = ["--arg", "stride=64", "--grid", "4"]


def two_launches() -> Capture:
    capture = load(IR, args={"stride": 64}, grid=(4, 1, 1))
    (kernel,) = capture.kernels
    launches = (kernel.launches[0], replace(kernel.launches[0], id="second"))
    return replace(capture, kernels=(replace(kernel, launches=launches),))


def test_a_fault_in_one_launch_leaves_the_other(monkeypatch: pytest.MonkeyPatch):
    def broken(known: KernelFacts, launch: Launch, programs: int | None) -> object:
        if launch.id == "second":
            raise IndexError("nothing there")
        return facts_of(known, launch, programs)

    monkeypatch.setattr(pipeline, "facts_of", broken)
    first, second = pipeline.inspect(two_launches()).kernels
    assert first.accesses
    assert not first.faults
    assert "second: a fault of gluon-inspect, not of the input: IndexError: nothing there" in second.unread
    assert "Traceback" in second.faults[0].traceback


def test_a_fault_in_one_rule_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(coalescing, "run", lambda _: 1 // 0)
    assert main(["report", str(IR), *GIVEN, "--format", "json"]) == 70
    captured = capsys.readouterr()
    (kernel,) = json.loads(captured.out)["kernels"]
    assert kernel["accesses"]
    assert kernel["faults"][0].startswith("ZeroDivisionError")
    assert any("GI101" in problem for problem in kernel["problems"])
    assert "ZeroDivisionError" in captured.err


def test_a_fault_in_one_format_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    def broken(*_: object) -> str:
        raise KeyError("place")

    monkeypatch.setattr(sarif, "render", broken)
    formats = [f"--format={name}={tmp_path / name}" for name in ("json", "sarif", "junit")]
    assert main(["report", str(IR), *GIVEN, *formats, "--fail-on", "never"]) == 70
    assert sorted(path.name for path in tmp_path.iterdir()) == ["json", "junit"]
    assert (
        "--format sarif: a fault of gluon-inspect, not of the input: KeyError: 'place'" in capsys.readouterr().err
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_fault_in_one_input_leaves_the_others(
    jobs: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    capture = tmp_path / "any.gi"
    capture.write_bytes(b"PK\x03\x04")
    command = ["report", str(capture), str(IR), *GIVEN, "--format", "json", "--jobs", jobs, "--fail-on", "never"]
    assert main(command) == 2
    assert len(json.loads(capsys.readouterr().out)["kernels"]) == 1

    from gluon_inspect.workflow import inspection

    def broken(path: str, *_: object) -> object:
        raise RecursionError(path)

    monkeypatch.setattr(inspection, "inspected", broken)
    if jobs == "1":
        assert main(command) == 70
        assert "RecursionError" in capsys.readouterr().err


def test_what_a_user_caused_is_no_fault():
    def wrong() -> None:
        raise UsageError("no such thing")

    with pytest.raises(UsageError):
        contained("anything", wrong)


def test_a_fault_crosses_processes():
    error = FaultError(Fault("here", "ValueError: x", "Traceback"))
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own)
    assert (copied.fault, str(copied)) == (error.fault, str(error))


def test_nothing_else_catches_everything():
    """The bulkheads, and what runs other people's code in a child process."""
    allowed = {
        "bulkheads.py",
        "measure/child.py",
        "measure/saved.py",
        "recording/child/compilations.py",
        "recording/child/compiler.py",
        "recording/child/blame.py",
        "recording/child/fake/dispatch.py",
        "recording/child/session.py",
        "recording/child/torch_compile.py",
    }
    package = ROOT / "gluon_inspect"
    broad = re.compile(r"except (?:Base)?Exception\b|except:")
    found = {
        path.relative_to(package).as_posix() for path in package.rglob("*.py") if broad.search(path.read_text())
    }
    assert found == allowed
