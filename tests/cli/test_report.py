"""The command line from end to end, on a capture of one of our examples and on hand-made bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gluon_inspect.cli import main
from tests.report.test_json import SCHEMA

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "copy_2d.py"


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gluon_inspect", *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("capture") / "copy.gi"
    done = run("capture", EXAMPLE, "--target", "cuda:90", "-o", file)
    assert (done.returncode, done.stdout) == (0, "")
    assert "row-major: copied" in done.stderr
    return file


def test_the_issues_own_command_gives_the_verdict_at_the_line(capture: Path):
    done = run("report", capture)
    assert done.returncode == 1
    assert "--> " in done.stdout
    answer, bad = done.stdout.split("━━ copy_2d")
    assert "1 problem in 2 kernels" in answer
    assert "clean: copy_2d" in done.stdout
    assert bad.count("error[GI101] uncoalesced-access") == 1
    assert "= and at: copy_2d.py:32" in bad
    assert "value = gl.load(sources, mask=mask)" in bad
    assert "\x1b" not in done.stdout


def test_json_on_stdout_fits_the_schema_and_stderr_is_quiet(capture: Path):
    done = run("report", capture, "--format", "json", "--fail-on", "never")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    Draft202012Validator(SCHEMA).validate(document)
    load, store = document["kernels"][1]["accesses"]
    assert load["sectors"] == store["sectors"] == 8 * load["sectors_ideal"]


def test_several_formats_each_to_its_place(capture: Path, tmp_path: Path):
    files = {name: tmp_path / f"out.{name}" for name in ("json", "sarif", "html", "junit", "markdown")}
    formats = [f"--format={name}={file}" for name, file in files.items()]
    done = run("report", capture, "--format", "github", *formats)
    assert done.stdout.startswith("::error file=examples/copy_2d.py,line=")
    assert all(file.stat().st_size for file in files.values())


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("never", 0), ("GI101", 1), ("bank-conflict", 0)])
def test_fail_on(capture: Path, fail_on: str, code: int):
    assert main(["report", str(capture), "--format=junit=/dev/null", "--fail-on", fail_on]) == code


def test_a_baseline_forgives_what_it_knows_and_update_writes_it(capture: Path, tmp_path: Path):
    baseline = tmp_path / "base.json"
    silent = "--format=junit=/dev/null"
    assert main(["report", str(capture), silent, "--baseline", str(baseline), "--update-baseline"]) == 0
    assert main(["report", str(capture), silent, "--baseline", str(baseline)]) == 0
    assert main(["report", str(capture), silent]) == 1


def test_diff_of_a_report_with_itself_says_nothing_changed(capture: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["diff", str(capture), str(capture)]) == 0
    assert "Nothing changed against" in capsys.readouterr().out


def test_colour_only_where_it_is_asked_for(capture: Path):
    assert "\x1b[" in run("report", capture, FORCE_COLOR="1", NO_COLOR="").stdout
    assert "\x1b[" not in run("report", capture, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_a_reader_that_leaves_early_is_no_error(capture: Path):
    command = f"{sys.executable} -m gluon_inspect report {capture} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def bad_inputs(folder: Path, capture: Path) -> dict[str, tuple[list[str], str]]:
    files = {
        "syntax.py": "def f(:\n",
        "nothing.py": "print(1)\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "binary.ttgir").write_bytes(b"\x7fELF" + bytes(200))
    return {
        "a script with a syntax error": (
            [str(folder / "syntax.py")],
            "syntax.py:1:7: the script has a syntax error",
        ),
        "a script that launches nothing": ([str(folder / "nothing.py")], "launched no Triton or Gluon kernel"),
        "a missing script": ([str(folder / "missing.py")], "no such script"),
        "a missing file": ([str(folder / "missing.ttgir")], "No such file"),
        "an unknown target": (
            [str(EXAMPLE), "--target", "cuda:91"],
            "unknown target 'cuda:91' (hint: did you mean cuda:90",
        ),
        "a binary given as IR": ([str(folder / "binary.ttgir")], "binary.ttgir: "),
        "an unknown kernel": (
            [str(capture), "--kernel", "softmax"],
            "no kernel is named softmax (hint: there are: copy_2d",
        ),
        "an unknown argument": ([str(capture), "--arg", "nonsense=4"], "nonsense"),
    }


CASES = (
    "a script with a syntax error",
    "a script that launches nothing",
    "a missing script",
    "a missing file",
    "an unknown target",
    "a binary given as IR",
    "an unknown kernel",
    "an unknown argument",
)


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_error_and_exit_2(
    case: str, capture: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    arguments, message = bad_inputs(tmp_path, capture)[case]
    assert main(["report", *arguments]) == 2
    captured = capfd.readouterr()
    errors = [line for line in captured.err.splitlines() if line.startswith("gluon-inspect: ")]
    assert (captured.out, len(errors)) == ("", 1)
    assert errors[0].startswith("gluon-inspect: error: ")
    assert message in errors[0]
    assert "Traceback" not in captured.err


def test_truncated_ir_says_where_and_exits_2(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    text = 'module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {\n  tt.func public @k() {\n'
    (tmp_path / "k.ttgir").write_text(text)
    assert main(["report", str(tmp_path / "k.ttgir")]) == 2
    captured = capfd.readouterr()
    assert captured.err.startswith("gluon-inspect: error: ")
    assert "k.ttgir:2:23: '{' is never closed" in captured.err
    assert "error: not read" in captured.out


def test_a_script_that_raises_midway_keeps_what_came_before(tmp_path: Path):
    script = tmp_path / "midway.py"
    script.write_text(EXAMPLE.read_text().replace('print("row-major: copied")', 'raise ValueError("midway")'))
    done = run("report", script)
    assert done.returncode == 2
    assert done.stdout.count("clean: copy_2d") == 1
    assert "gluon-inspect: error: " in done.stderr
    assert "midway" in done.stderr


SCRIPT = """
import sys, torch, helper
from pathlib import Path
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def fill(dst, layout: gl.constexpr, N: gl.constexpr):
    gl.store(dst + gl.arange(0, N, layout=layout), 1.0)


n = int(Path(__file__).with_name("size.txt").read_text())
fill[(1,)](torch.empty(n, device="cuda"), gl.BlockedLayout([helper.WIDTH], [32], [4], [0]), n)
print("ran", file=sys.stderr)
"""


def test_a_second_run_is_answered_from_what_the_first_left_until_a_file_changes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    def report() -> tuple[str, bool]:
        assert main(["report", str(script), "--details"]) == 0
        captured = capfd.readouterr()
        return captured.out, "ran" in captured.err.split()

    script = tmp_path / "fill.py"
    script.write_text(SCRIPT)
    (tmp_path / "helper.py").write_text("WIDTH = 1\n")
    (tmp_path / "size.txt").write_text("128")
    (first, ran), (second, ran_again) = report(), report()
    assert (ran, ran_again) == (True, False)
    assert first == second
    (tmp_path / "helper.py").write_text("WIDTH = 2\n")
    assert report()[1]
    (tmp_path / "size.txt").write_text("256")
    assert "float32[256]" in report()[0]


def test_jobs_change_neither_bytes_nor_order(tmp_path: Path):
    for name, width in (("one", 1), ("two", 4)):
        (tmp_path / f"{name}.py").write_text(SCRIPT.replace("helper.WIDTH", str(width)).replace(", helper", ""))
    (tmp_path / "size.txt").write_text("512")
    scripts = (tmp_path / "one.py", tmp_path / "two.py", tmp_path / "missing.py")
    runs = [run("report", *scripts, "--no-cache", "--format", "json", "--jobs", jobs) for jobs in ("1", "2")]
    assert runs[0].stdout == runs[1].stdout
    assert [kernel["source"]["file"] for kernel in json.loads(runs[0].stdout)["kernels"]] == [
        str(script) for script in scripts[:2]
    ]
    assert [done.returncode for done in runs] == [2, 2]


def test_a_profilers_report_that_nothing_here_reads_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("gluon_inspect.measure.counters.find_ncu", lambda: None)
    (tmp_path / "run.ncu-rep").write_bytes(b"NVR")
    ir = Path(__file__).parents[1] / "data" / "shared" / "small_dot.ttgir"
    assert main(["report", str(ir), "--counters", str(tmp_path / "run.ncu-rep")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "not a report of Nsight Compute" in told.err
    assert told.err.count("\n") == 1


def test_ir_is_measured_after_it_was_inspected(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("gluon_inspect.measure.session.child_command", lambda *_: ["true"])
    ir = Path(__file__).parents[1] / "data" / "shared" / "small_dot.ttgir"
    assert main(["report", str(ir), "--measure", "--brief", "--fail-on", "never"]) == 0
    assert "measuring ended early: the measuring process died (status 0)" in capsys.readouterr().out
