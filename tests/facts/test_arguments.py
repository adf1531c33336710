"""What is still needed of a kernel in IR, and how far a number goes that rests on an assumed value."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import gluon_inspect
from gluon_inspect.cli import main
from gluon_inspect.errors import UsageError
from gluon_inspect.facts.arguments import GRID, KEY
from gluon_inspect.loading import load
from gluon_inspect.loading.encoding import decode_launch, encode_launch
from gluon_inspect.model.artifact import Capture, Launch
from gluon_inspect.model.report import KernelReport
from gluon_inspect.pipeline import inspect

GIVEN = {"src": 1 << 20, "dst": 1 << 21, "n": 1 << 20}
SPREAD = {"sx": 4096, "sy": 4096}
STRIDED = """
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90",
                   "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copy(%src: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %dst: !tt.ptr<f32>, %n: i32, %sx: i32,
                       %sy: i32, %scale: f32) {
    %size = arith.constant 512 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %size : i32
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %s = tt.splat %start : i32 -> tensor<512xi32, #b>
    %o = arith.addi %s, %r : tensor<512xi32, #b>
    %limit = tt.splat %n : i32 -> tensor<512xi32, #b>
    %m = arith.cmpi slt, %o, %limit : tensor<512xi32, #b>
    %wide = tt.splat %sx : i32 -> tensor<512xi32, #b>
    %from = arith.muli %o, %wide : tensor<512xi32, #b>
    %a = tt.splat %src : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %p = tt.addptr %a, %from : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p, %m : tensor<512x!tt.ptr<f32>, #b>
    %far = tt.splat %sy : i32 -> tensor<512xi32, #b>
    %to = arith.muli %o, %far : tensor<512xi32, #b>
    %c = tt.splat %dst : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %q = tt.addptr %c, %to : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %q, %v, %m : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "copy.ttgir"
    file.write_text(STRIDED)
    return file


def looked_at(path: Path, *assumed: str, grid: bool = True, **given: int) -> KernelReport:
    capture = load(path, args=given, grid=(2048, 1, 1) if grid else None, assumed=assumed)
    return inspect(capture).kernels[0]


def needed(report: KernelReport) -> dict[object, tuple[object, ...]]:
    return {row[0]: row[1:] for table in report.tables if table.key == KEY for row in table.rows}


def severities(report: KernelReport) -> list[str]:
    return [finding.severity.value for finding in report.findings if finding.rule == "GI101"]


def test_without_arguments_each_missing_one_names_what_depends_on_it(path: Path):
    report = looked_at(path, grid=False)
    found = needed(report)
    assert list(found) == ["src", "dst", "n", "sx", "sy", GRID]
    assert {name: row[2] for name, row in found.items()} == {
        "src": 1, "dst": 1, "n": 2, "sx": 1, "sy": 1, GRID: 2
    }  # fmt: skip
    assert found["sx"][1] == "not given"
    assert "GI101" in str(found["sx"][4])
    assert report.tables[0].key == KEY


def test_a_made_up_stride_gives_a_note(path: Path):
    report = looked_at(path, grid=False)
    assert severities(report) == ["note", "note"]
    assert {f.evidence["made_up"] for f in report.findings if f.rule == "GI101"} == {("sx",), ("sy",)}


def test_with_everything_given_nothing_is_needed_and_the_error_stands(path: Path):
    report = looked_at(path, **GIVEN, **SPREAD)
    assert needed(report) == {}
    assert {a.confidence.value for a in report.accesses} == {"exact"}
    assert set(severities(report)) == {"error"}


def test_an_assumed_stride_marks_what_rests_on_it_alone(path: Path):
    report = looked_at(path, "sx", **GIVEN, **SPREAD)
    load_, store = report.accesses
    assert (load_.confidence.value, store.confidence.value) == ("assumed", "exact")
    assert load_.reason == "rests on the assumed sx"
    assert load_.sectors == looked_at(path, **GIVEN, **SPREAD).accesses[0].sectors
    severity = {f.subject: f.severity.value for f in report.findings if f.rule == "GI101"}
    assert severity == {load_.id: "warning", store.id: "error"}
    assert {name: row[1] for name, row in needed(report).items()} == {"sx": "assumed: 4096"}


def test_all_wrong_names_are_told_at_once_with_the_right_ones(path: Path):
    with pytest.raises(UsageError, match="'foo' or 'bar'") as caught:
        load(path, args={"foo": 2, "n": 3, "bar": 4, "gone": 1})
    assert "src: !tt.ptr<f32>" in str(caught.value.hint)
    assert load(path, args={"gone": 1}).notes[0].startswith("gone=1 was ignored")


def test_what_is_assumed_is_kept_in_captures():
    launch = Launch("0", arguments={"n": 3, "sx": 4}, assumed=("sx",))
    data = encode_launch(launch, str)
    assert decode_launch(data, bytes) == launch
    del data["assumed"]
    assert decode_launch(data, bytes).assumed == ()


@pytest.mark.parametrize(("name", "text"), [("a.json", '{"n": 4096, "sx": 8}'), ("a.toml", "n = 4096\nsx = 8")])
def test_a_file_gives_values_and_options_win(
    path: Path, tmp_path: Path, name: str, text: str, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / name).write_text(text)
    options = ["--arg-file", str(tmp_path / name), "--arg", "sx=16", "--assume", "sy=2", "--grid", "4"]
    assert main(["report", str(path), *options, "--format", "json", "--fail-on", "never"]) == 0
    kernel = json.loads(capsys.readouterr().out)["kernels"][0]
    assert kernel["launch"]["arguments"] == {"n": 4096, "sx": 16, "sy": 2}


@pytest.mark.parametrize("text", ["[1, 2]", '{"n": "many"}', "{", '{"two words": 1}'])
def test_a_file_that_is_no_table_of_numbers_is_refused(
    path: Path, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "a.json").write_text(text)
    assert main(["report", str(path), "--arg-file", str(tmp_path / "a.json")]) == 2
    assert "--arg-file" in capsys.readouterr().err


def test_scripts_bring_their_own_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["report", str(tmp_path / "k.py"), "--assume", "n=4"]) == 2
    assert "--assume is for IR files" in capsys.readouterr().err


@pytest.mark.parametrize("as_capture", [False, True])
def test_python_takes_the_same_values_as_the_command(path: Path, tmp_path: Path, as_capture: bool):
    (tmp_path / "a.json").write_text('{"n": 4096, "sx": 8}')
    subject = load(path) if as_capture else path
    found = gluon_inspect.inspect(
        subject, argument_file=tmp_path / "a.json", arguments={"sx": 16}, assumed={"sy": 2}, grid=(4, 1, 1)
    )
    launch = found.kernels[0].launch
    assert (launch.arguments, launch.assumed) == ({"n": 4096, "sx": 16, "sy": 2}, ("sy",))
    with pytest.raises(UsageError, match="given and assumed at once"):
        gluon_inspect.inspect(subject, arguments={"sy": 1}, assumed={"sy": 2})


def test_a_number_that_fills_64_bits_is_unknown_and_no_overflow(path: Path):
    (kernel,) = load(path).kernels
    (launch,) = kernel.launches
    for name, value in (("n", 1 << 63), ("src", 1 << 70), ("sx", -(1 << 63))):
        arguments = {"n": 4096, "sx": 16, "sy": 2, "src": 4096, "dst": 4096, name: value}
        changed = replace(launch, grid=(4, 1, 1), arguments=arguments)
        report = inspect(Capture("k", (replace(kernel, launches=(changed,)),))).kernels[0]
        assert report.accesses[0].sectors is None
        assert "too large to count with" in (report.accesses[0].reason or "")
