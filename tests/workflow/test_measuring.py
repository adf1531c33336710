"""Launches made again on a GPU: who is who, what goes wrong, what is put beside the prediction."""

from __future__ import annotations

import fcntl
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from gluon_inspect.loading.identity import launch_key
from gluon_inspect.measure import child, counting, jobs, session
from gluon_inspect.measure.keys import report_key
from gluon_inspect.measure.process import run_child
from gluon_inspect.measure.verdicts import EQUAL, comparison_table, launch_pairs, line_pairs
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.artifact import CompiledKernel, Launch, TensorArgument
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.location import Location
from gluon_inspect.model.measured import InstructionCounters, ProfiledLaunch
from gluon_inspect.model.report import Clock, Coverage, KernelReport, Registers, Report
from gluon_inspect.model.request import Request, silent
from gluon_inspect.recording.child.replay import Replay

_LINE = Location("k.py", 7)
_TTGIR = 'module { tt.func @f() { tt.return loc(#loc1) } loc(#loc) }\n#loc = loc("/tmp/a/k.py":1:1)\n'


def _tensor(address, data=None):
    return TensorArgument("float32", (64,), (1,), address, data)


def _kernel(**changes) -> KernelReport:
    load = Access(
        "g0", "tt.load", Space.GLOBAL, Direction.LOAD, _LINE, requests=8, sectors=32, lines=8, bytes_unique=1024
    )
    kernel = CompiledKernel("f", "cuda:90", stages={"ttgir": _TTGIR})
    launch = Launch("launch0", 1, (2, 1, 1), {"x": _tensor(512), "n": 64})
    cost = KernelCost(1e-3, Resource.DRAM, {}, (), Confidence.EXACT, ModelStatus.VALIDATED)
    fields = {"accesses": (load,), "registers": Registers(per_thread=32), "cost": cost, **changes}
    return KernelReport(kernel, launch, **fields)


def _profiled(sectors=32.0) -> ProfiledLaunch:
    return ProfiledLaunch(
        "f",
        (2, 1, 1),
        {"global_load_requests": 8.0, "global_load_sectors": sectors, "registers_per_thread": 32.0},
        (
            InstructionCounters(0, "S2R R0, SR_TID.X", {"executed": 8.0}),
            InstructionCounters(16, "@!P0 LDG.E R1, [R2]", {"executed": 8.0, "sectors": sectors, "lines": 8.0}),
        ),
        "NVIDIA H200",
    )


def test_contents_and_places_of_files_do_not_make_another_launch():
    moved = _TTGIR.replace("/tmp/a/", "/tmp/b/")
    one = launch_key("f", _TTGIR, (2, 1, 1), {"x": _tensor(512, (1, 2))})
    assert one == launch_key("f", moved, (2, 1, 1), {"x": _tensor(1024)})


@pytest.mark.parametrize(
    "other",
    [
        ("g", _TTGIR, (2, 1, 1), {"x": _tensor(512)}),
        ("f", _TTGIR.replace("@f", "@h"), (2, 1, 1), {"x": _tensor(512)}),
        ("f", _TTGIR, (2, 2, 1), {"x": _tensor(512)}),
        ("f", _TTGIR, (2, 1, 1), {"x": _tensor(516)}),
        ("f", _TTGIR, (2, 1, 1), {"x": _tensor(512), "n": 3}),
    ],
)
def test_what_makes_another_launch(other):
    assert launch_key("f", _TTGIR, (2, 1, 1), {"x": _tensor(512)}) != launch_key(*other)


class _Tensor:
    dtype, shape = "torch.float32", (64,)

    def __init__(self, address):
        self._address = address

    def stride(self):
        return (1,)

    def data_ptr(self):
        return self._address

    def untyped_storage(self):
        return self


def _replayed(launches):
    """A replay under a fake launcher: the distinct launches it showed, and the launches that were made."""
    shown, made = [], []
    replay = Replay(shown.append)
    replay._real = lambda *_: lambda *arguments: made.append(arguments)
    replay._ttgir["hash"] = _TTGIR
    source = SimpleNamespace(fn=SimpleNamespace(arg_names=["x", "n"], params=()))
    launch = replay._launcher(source, SimpleNamespace(hash="hash", name="f"))
    for grid, values in launches:
        launch(*grid, 5, "function", "packed", "metadata", "enter", "leave", *values)
    return shown, made


def test_a_real_launch_has_the_key_of_the_recorded_one():
    shown, _ = _replayed([((2, 1, 1), (_Tensor(1 << 20), 64))])
    assert shown[0].key == report_key(_kernel())


def test_each_distinct_launch_is_shown_once_and_every_one_is_made():
    x = _Tensor(1 << 20)
    shown, made = _replayed([((2, 1, 1), (x, 64)), ((2, 1, 1), (x, 64)), ((4, 1, 1), (x, 64))])
    assert [each.grid for each in shown] == [(2, 1, 1), (4, 1, 1)]
    assert len(made) == 3
    assert shown[0].tensors == (x,)


def test_a_repetition_goes_to_the_stream_it_is_given_without_hooks():
    x = _Tensor(1 << 20)
    shown, made = _replayed([((2, 1, 1), (x, 64))])
    shown[0].run(9)
    assert made[-1] == (2, 1, 1, 9, "function", "packed", "metadata", None, None, x, 64)
    assert made[0][3] == 5


def _answers(**timed):
    event = {
        "ms": [2.0, 1.9, 2.1, 40],
        "method": "events",
        "doubt": "",
        "restored": True,
        "key": report_key(_kernel()),
    }
    return session.collected(
        [
            {"event": "device", "name": "NVIDIA H200", "target": "cuda:90"},
            {"event": "peak", "bytes_per_second": 4e12},
            {"event": "timed", **event, **timed},
        ],
        "",
    )


@pytest.mark.parametrize(("notes", "profiles"), [((), 1), (("measuring ended early: stopped after 9 s",), 0)])
def test_what_went_wrong_once_is_not_profiled(monkeypatch, notes, profiles):
    asked = []
    monkeypatch.setattr(session, "answers", lambda *_: replace(_answers(), notes=notes))
    monkeypatch.setattr(session, "profiled", lambda report, *_: asked.append(report) or report)
    report = session.measured(Report((_kernel(),)), _SUBJECT, silent)
    assert report.kernels[0].measurement is not None
    assert (report.notes, len(asked)) == (notes, profiles)


_SUBJECT = jobs.Subject("k.py", "the script did not make this launch", lambda _: None, 20.0)


def _measured(answers):
    return session._with_measurement(_kernel(), answers, _SUBJECT)


def test_a_measurement_stands_beside_the_prediction():
    kernel = _measured(_answers())
    found = kernel.measurement
    assert found.time_ms.median == 2.0
    assert found.gbps == pytest.approx(1024 / 2e-3 / 1e9)
    assert found.fraction_of_peak == pytest.approx(1024 / 2e-3 / 4e12)
    assert (found.moved_bytes, found.peak_gbps, found.datasheet_gbps) == (1024, 4000.0, 4800.0)
    assert any("2.00 times" in note and "DRAM" in note for note in found.notes)
    assert any("4,000 GB/s" in note and "4,800" in note for note in found.notes)
    assert kernel.findings == _kernel().findings


def test_the_data_sheet_of_another_card_is_not_this_cards():
    other = replace(_answers(), device="NVIDIA H100 PCIe")
    assert _measured(other).measurement.datasheet_gbps is None


def test_clocks_that_moved_are_said():
    found = _measured(_answers(clocks=[[1980, 3201], [1500, 3201]])).measurement
    assert (found.sm_clock, found.memory_clock) == (Clock(1980, 1500), Clock(3201, 3201))
    assert [note for note in found.notes if "clock" in note] == [
        "the SM clock moved from 1,980 to 1,500 MHz meanwhile"
    ]


def test_clocks_that_are_not_known_are_none():
    found = _measured(_answers(clocks=[[None, None], [None, None]])).measurement
    assert (found.sm_clock, found.memory_clock) == (None, None)


def test_doubt_and_data_that_was_not_put_back_are_said():
    kernel = _measured(_answers(doubt="inconclusive: …", restored=False))
    assert any("inconclusive" in note for note in kernel.measurement.notes)
    assert any("putting its data back" in note for note in kernel.measurement.notes)


def test_another_architecture_is_a_problem_in_words():
    kernel = _measured(session.Answers("NVIDIA A100", "cuda:80", 1e12))
    assert kernel.measurement is None
    assert "compiled for cuda:90, the GPU here is cuda:80" in kernel.problems[0]


def test_a_launch_that_was_not_made_is_a_problem_in_words():
    answers = session.Answers("NVIDIA H200", "cuda:90", 1e12)
    assert _measured(answers).problems == ("not measured: the script did not make this launch on the NVIDIA H200",)


def test_a_launch_that_could_not_be_made_says_why():
    answers = session.Answers(
        "NVIDIA H200", "cuda:90", 1e12, skipped={report_key(_kernel()): "its grid is not given"}
    )
    assert _measured(answers).problems == ("not measured: its grid is not given",)


def test_a_device_error_names_the_kernel_that_ran():
    events = [
        {"event": "timing", "key": "k", "name": "f"},
        {"event": "error", "message": "RuntimeError: CUDA error: an illegal memory access was encountered"},
        {"event": "finished"},
    ]
    assert session.collected(events, "").notes == (
        "measuring ended early while f ran: RuntimeError: CUDA error: an illegal memory access was encountered",
    )


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            RuntimeError(
                "CUDA error: misaligned address\nFor debugging consider CUDA_LAUNCH_BLOCKING=1\nCompile with …"
            ),
            "RuntimeError: CUDA error: misaligned address",
        ),
        (ValueError("first\nlast"), "ValueError: first last"),
    ],
)
def test_an_error_is_one_line(error, line):
    assert child.said(error) == line


def test_a_lock_that_somebody_else_made_is_taken_too(tmp_path, monkeypatch):
    monkeypatch.setattr(child.tempfile, "gettempdir", lambda: str(tmp_path))
    theirs = tmp_path / child._LOCK
    theirs.write_text("theirs")
    theirs.chmod(0o444)
    with child.alone(), pytest.raises(BlockingIOError), theirs.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert theirs.read_text() == "theirs"


_WRITER = """
import json, os, signal, sys, time
out = open(sys.argv[1] + "/events.jsonl", "a")
def event(**data):
    out.write(json.dumps(data) + "\\n"); out.flush()
"""


def _run(tmp_path, body, timeout=20.0):
    command = [sys.executable, "-c", _WRITER + body, str(tmp_path)]
    return run_child(command, tmp_path, tmp_path / "cache", timeout, lambda _: None)


def test_a_child_that_ends_well_has_no_trouble(tmp_path):
    events, trouble = _run(tmp_path, 'event(event="finished")')
    assert [each["event"] for each in events] == ["finished"]
    assert trouble == ""


def test_a_kernel_that_faults_is_named(tmp_path):
    body = 'event(event="timing", key="k", name="f")\nos.kill(os.getpid(), signal.SIGSEGV)'
    _, trouble = _run(tmp_path, body)
    assert trouble == "the measuring process died (SIGSEGV) while f ran"


def test_a_kernel_that_hangs_is_ended(tmp_path):
    _, trouble = _run(tmp_path, 'event(event="timing", key="k", name="f")\ntime.sleep(60)', timeout=1.0)
    assert trouble == "stopped after 1 s while f ran"


def test_a_machine_without_a_gpu_says_so_in_one_line(tmp_path):
    script = tmp_path / "s.py"
    script.write_text("print('never mind')\n")
    before = Report((_kernel(),))
    subject = jobs.of_script(before, str(script), Request((str(script),)))
    report = session.measured(before, subject, silent)
    assert len(report.notes) == 1
    assert report.notes[0].startswith("not measured: ")
    assert report.kernels == before.kernels


def test_a_capture_without_a_gpu_says_so_in_one_line_too():
    before = Report((_kernel(),))
    report = session.measured(before, jobs.of_launches(before, "run.gi", Request(("run.gi",))), silent)
    assert len(report.notes) == 1
    assert report.notes[0].startswith("not measured: ")
    assert report.kernels == before.kernels


def test_totals_equal_what_the_profiler_counted():
    verdicts = {pair.what: pair.verdict for pair in launch_pairs(_kernel(), _profiled())}
    assert verdicts["global load requests"] == EQUAL
    assert verdicts["global load sectors"] == EQUAL
    assert verdicts["registers per thread"] == EQUAL


def test_disagreement_is_shown():
    table = comparison_table("t", "T", launch_pairs(_kernel(), _profiled(sectors=64.0)))
    row = next(row for row in table.rows if row[1] == "global load sectors")
    assert row == ("all", "global load sectors", 32, 64, "-50.00%")
    assert table.note.endswith("equal")
    assert not table.note.startswith(table.note.split(" of ")[1].split()[0])


def test_by_line_through_the_instructions_places():
    pairs = list(line_pairs(_kernel(), _profiled(), {0: _LINE, 16: _LINE}))
    assert {(pair.what, pair.verdict, pair.location.line) for pair in pairs} == {
        ("global sectors", EQUAL, 7),
        ("global lines", EQUAL, 7),
    }


def test_a_prediction_that_is_missing_is_not_zero():
    unknown = _kernel(accesses=(Access("g0", "tt.load", Space.GLOBAL, Direction.LOAD, _LINE),))
    verdicts = {pair.what: pair.verdict for pair in launch_pairs(unknown, _profiled())}
    assert verdicts["global load sectors"] == "not predicted"


def test_counters_of_a_file_go_to_launches_by_name_and_grid():
    path = Path(__file__).parents[1] / "data" / "measure" / "opposite_layouts.raw.csv"
    named = CompiledKernel("copy_with_conversion", "cuda:90")
    kernel = KernelReport(named, Launch("l", 1, (32, 64, 1)), coverage=Coverage(operations=1, understood=1))
    other = KernelReport(named, Launch("m", 1, (1, 1, 1)))
    first, second = counting.with_counters_of(Report((kernel, other)), path).kernels
    assert first.measurement.counters["global_store_sectors"] == 1048576
    assert [table.key for table in first.tables] == ["measured_launch"]
    assert second.measurement is None
    assert "did not see this launch" in second.problems[0]
