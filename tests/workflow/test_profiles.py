"""A profiler's file as input: kernels and counters from an .ncu-rep or from CSV, and what cannot be known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gluon_inspect.assembly.cubin import parse_cubin
from gluon_inspect.cli import main
from gluon_inspect.measure import counters
from gluon_inspect.measure.ncu_csv import read_raw_page
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.recording.record import record
from gluon_inspect.targets import find
from tests.measure.nsight_file import simple
from tests.recording.scripts import COPY, write

_DATA = Path(__file__).parents[1] / "data" / "measure"
_SCRIPT = COPY + '\nx = torch.ones(256, device="cuda")\ncopy[(1,)](x, x, 250, 256, LAYOUT)\n'


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> CompiledKernel:
    return record(write(tmp_path_factory.mktemp("profiled"), _SCRIPT), "cuda:90").kernels[0]


@pytest.fixture
def file(tmp_path: Path, copy: CompiledKernel) -> Path:
    path = tmp_path / "run.ncu-rep"
    path.write_bytes(simple("copy", (1, 1, 1), copy.binary, again=2))
    return path


@pytest.fixture(autouse=True)
def _no_ncu(monkeypatch):
    monkeypatch.setattr(counters, "find_ncu", lambda: None)


def _report(capsys, *arguments: object) -> dict:
    assert main(["report", *map(str, arguments), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_report_gives_counters_registers_and_instructions(capsys, file, copy):
    (kernel,) = _report(capsys, file)["kernels"]
    assert (kernel["name"], kernel["target"], kernel["launch"]["grid"]) == ("copy", "cuda:90", [1, 1, 1])
    assert kernel["launch"]["count"] == 3
    assert kernel["launch"]["num_warps"] == 4
    assert kernel["measurement"]["device"] == "NVIDIA H200"
    assert kernel["measurement"]["counters"] == {"global_load_sectors": 64, "registers_per_thread": 40}
    assert kernel["instructions_static"]
    (function,) = parse_cubin(copy.binary).functions
    assert kernel["registers"]["per_thread"] == max(
        function.registers or 0, find("cuda:90").min_registers_per_thread
    )
    assert kernel["accesses"] == []


def test_what_has_no_ir_is_not_predicted(capsys, file):
    (kernel,) = _report(capsys, file)["kernels"]
    launch = next(table for table in kernel["tables"] if table["key"] == "measured_launch")
    rows = {row[1]: row[2:] for row in launch["rows"]}
    assert rows["global load sectors"] == [None, 64, "not predicted"]


def test_instructions_get_their_text_from_the_binary(capsys, file, copy):
    file.write_bytes(simple("copy", (1, 1, 1), copy.binary, instructions=16))
    (launch,) = counters.read_counters(file)
    assert {each.text for each in launch.instructions} == {""}
    (kernel,) = _report(capsys, file)["kernels"]
    table = next(table for table in kernel["tables"] if table["key"] == "measured_instructions")
    assert any("LDG" in row[1] and row[2] == 10 for row in table["rows"])


def test_the_script_and_its_profile_stand_side_by_side(capsys, tmp_path, file):
    script = write(tmp_path, _SCRIPT)
    (kernel,) = _report(capsys, script, "--counters", file)["kernels"]
    launch = next(table for table in kernel["tables"] if table["key"] == "measured_launch")
    sectors = next(row for row in launch["rows"] if row[1] == "global load sectors")
    assert sectors[2] is not None
    assert sectors[3] == 64


def test_csv_gives_the_same_without_a_binary(capsys):
    first, second = _report(capsys, _DATA / "opposite_layouts.raw.csv")["kernels"]
    assert (first["name"], first["target"], first["registers"]["per_thread"]) == ("copy_one_layout", "cuda:90", 56)
    assert first["measurement"]["counters"]["global_store_sectors"] == 8388608
    assert all(kernel["tables"] == [] for kernel in (first, second))
    assert second["shared_bytes"] is None
    assert second["instructions_static"] == {}


def test_numbers_that_ncu_rounded_are_unknown():
    text = (_DATA / "opposite_layouts.raw.csv").read_text().replace('"byte","byte","ns"', '"Mbyte","byte","us"')
    first, _ = read_raw_page(text)
    assert not {"dram_read_bytes", "time_ns"} & first.counters.keys()
    assert first.counters["dram_write_bytes"] == 13546496


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.ncu-rep", b"NVR\0\2\0\0\0\x08\x07\xff", "damaged report of Nsight Compute"),
        ("x.ncu-rep", b"hello", "not a report of Nsight Compute"),
        ("x.ncu-rep", b"NVR\0\2\0\0\0\x08\x09", "of version 9, this reads 7"),
        ("x.ncu-rep", b"NVR\0\2\0\0\0\x08\x07", "the profiler saw no kernel"),
        ("x.ncu-repz", b"\x28\xb5\x2f\xfd" + bytes(20), "is packed (zstd), and the ncu program is not here"),
        ("x.ncu-rep", None, "No such file"),
        ("x.csv", b'"Kernel Name","x"\n"copy","1"\n', "no table with the columns Kernel Name, Grid Size"),
    ],
)
@pytest.mark.parametrize("command", ["report", "explain", "capture"])
def test_what_cannot_be_read_is_one_line_with_a_hint(capsys, tmp_path, command, name, content, said):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    extra = ["-o", str(tmp_path / "x.gi")] if command == "capture" else []
    assert main([command, str(path), *extra]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert told.err.count("\n") == 1


def test_options_of_ir_are_refused(capsys, file):
    assert main(["report", str(file), "--arg", "n=1"]) == 2
    assert "--arg is for IR files; " in capsys.readouterr().err


def test_a_report_of_another_version_goes_through_ncu(capsys, tmp_path, monkeypatch):
    program, report = tmp_path / "ncu", tmp_path / "x.ncu-repz"
    report.write_bytes(b"\x28\xb5\x2f\xfd")
    pages = f"*source*) cat {_DATA}/opposite_layouts.source.csv;; *) cat {_DATA}/opposite_layouts.raw.csv;;"
    program.write_text(f'#!/bin/sh\ncase "$*" in {pages} esac\n')
    program.chmod(0o755)
    monkeypatch.setattr(counters, "find_ncu", lambda: str(program))
    assert len(_report(capsys, report)["kernels"]) == 2


def test_explain_says_that_there_is_nothing_to_explain(capsys, file):
    assert main(["explain", str(file)]) == 0
    assert "no IR" in capsys.readouterr().out
