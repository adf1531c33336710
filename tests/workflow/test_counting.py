"""Nsight Compute where it is missing, refuses, dies, hangs or answers: stand-ins for `ncu` on the PATH."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gluon_inspect.measure import counting, ncu
from gluon_inspect.measure.jobs import Subject
from gluon_inspect.measure.keys import report_key
from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.report import Coverage, KernelReport, Measurement, Report, Timing
from gluon_inspect.model.request import silent

_DATA = Path(__file__).parents[1] / "data" / "measure"
_TIMED = Measurement("NVIDIA H200", Timing(1.0, 0.9, 1.1, 40))
_KERNELS = tuple(
    KernelReport(
        CompiledKernel(name, "cuda:90"), Launch("l", 1, (32, 64, 1)), measurement=_TIMED, coverage=Coverage(1, 1)
    )
    for name in ("copy_one_layout", "copy_with_conversion")
)
_PERMISSION = (
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters "
    "on the target device 0. For instructions on enabling permissions and to get more information see "
    "https://developer.nvidia.com/ERR_NVGPUCTRPERM"
)
_PRELUDE = f"""#!{sys.executable}
import json, os, signal, sys, time
arguments = sys.argv[1:]
folder = arguments[-2]

def log(text):
    open(arguments[arguments.index("--log-file") + 1], "w").write(text + "\\n")

def event(**data):
    with open(folder + "/events.jsonl", "a") as journal:
        journal.write(json.dumps(data) + "\\n")
"""


@pytest.fixture
def profiled(tmp_path, monkeypatch):
    """The report after a profiler of this body; a body of None: there is no profiler."""

    def run(body, timeout=20.0) -> Report:
        programs = tmp_path / "bin"
        programs.mkdir()
        if body is not None:
            program = programs / "ncu"
            program.write_text(_PRELUDE + body)
            program.chmod(0o755)
        monkeypatch.setenv("PATH", str(programs))
        monkeypatch.setattr(ncu, "_PLACES", (str(tmp_path / "no"), str(tmp_path / "where")))
        subject = Subject("k.py", "", lambda _: None, timeout)
        return counting.profiled(Report(_KERNELS), subject, tmp_path / "cache", silent)

    return run


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (None, "no counters: Nsight Compute (ncu) is not here"),
        (
            f"log({_PERMISSION!r}); sys.exit(1)",
            "no counters: no permission to read the GPU's counters (ERR_NVGPUCTRPERM): ask an administrator",
        ),
        (
            'log("==PROF== Connected\\n==ERROR== Failed to load the driver."); sys.exit(1)',
            "no counters: ncu says Failed to load the driver.",
        ),
        (
            'event(event="timing", key="k", name="f"); os.kill(os.getpid(), signal.SIGSEGV)',
            "no counters: the measuring process died (SIGSEGV) while f ran",
        ),
        (
            'event(event="timing", key="k", name="f"); event(event="error", message="RuntimeError: CUDA error"); '
            'event(event="finished")',
            "no counters: RuntimeError: CUDA error while f ran",
        ),
        ('event(event="finished")', "no counters: ncu profiled nothing"),
    ],
)
def test_each_failure_is_one_line_and_the_report_stands(profiled, body, note):
    report = profiled(body)
    assert report.notes == (note,)
    assert report.kernels == _KERNELS


def test_a_kernel_that_hangs_under_the_profiler_is_ended(profiled):
    report = profiled('event(event="timing", key="k", name="f"); time.sleep(60)', timeout=1.0)
    assert report.notes == ("no counters: stopped after 1 s while f ran",)
    assert report.kernels == _KERNELS


_ANSWERS = f"""
if "--import" in arguments:
    page = "source" if "source" in arguments else "raw"
    sys.stdout.write(open({str(_DATA)!r} + f"/opposite_layouts.{{page}}.csv").read())
    sys.exit()
open(arguments[arguments.index("-o") + 1], "w").close()
for key in KEYS:
    event(event="profiled", key=key, name="f")
event(event="finished")
"""


def test_counters_go_to_the_launches_that_were_marked(profiled):
    keys = [report_key(kernel) for kernel in _KERNELS]
    first, second = profiled(f"KEYS = {keys!r}{_ANSWERS}").kernels
    assert first.measurement.counters["global_store_sectors"] == 8388608
    assert second.measurement.counters["global_store_sectors"] == 1048576
    assert first.measurement.time_ms == _TIMED.time_ms
    assert [table.key for table in first.tables] == ["measured_launch", "measured_instructions"]


def test_launches_that_cannot_be_told_apart_are_not_guessed(profiled):
    report = profiled(f"KEYS = ['one']{_ANSWERS}")
    assert report.notes == ("no counters: 2 profiled launches for 1 that were marked",)
    assert report.kernels == _KERNELS
