from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request, silent
from gluon_inspect.report import load_format
from gluon_inspect.workflow import inspection, parallel
from gluon_inspect.workflow.executors import processes


class DeadPool(Executor):
    """Every worker dies at once."""

    def submit(self, _fn: Callable[..., Any], /, *_args: Any, **_kwargs: Any) -> Future[Any]:
        raise BrokenExecutor


KERNEL = """
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @nothing() { tt.return }
}
"""


def test_the_task_that_kills_its_worker_is_the_only_one_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    good = tmp_path / "good.ttgir"
    good.write_text(KERNEL)
    pools = iter([processes(1), DeadPool()])
    monkeypatch.setattr(inspection, "processes", lambda _: DeadPool())
    monkeypatch.setattr(parallel, "processes", lambda _: next(pools))
    outcome = inspection.inspect_all(Request((str(good), "fatal.ttgir")), jobs=2)
    assert [kernel.name for kernel in outcome.report().kernels] == ["nothing"]
    assert [str(failure) for failure in outcome.failures] == [
        "fatal.ttgir: the process that worked on it died (hint: out of memory? try fewer --jobs or --programs 64)"
    ]


def test_a_target_that_does_not_apply_to_compiled_code_is_said(tmp_path: Path):
    file = tmp_path / "good.ttgir"
    file.write_text(KERNEL)
    report = inspection.inspect_all(Request((str(file),), targets=("hip:gfx942",))).report()
    assert report.notes == (f"{file} is compiled for cuda:90: --target hip:gfx942 does not apply to it",)


def test_nothing_is_disassembled_where_none_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: object) -> Capture:
        raise AssertionError("disassembled")

    monkeypatch.setattr("gluon_inspect.loading.disassemble.with_sass", refused)
    file = tmp_path / "good.ttgir"
    file.write_text(KERNEL)
    assert inspection.inspect_all(Request((str(file),), disassemblers=0)).kernels
    assert [str(one) for one in inspection.inspect_all(Request((str(file),))).failures] != []


SCRIPT = """
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def copy(src, dst, n, layout: gl.constexpr):
    at = gl.arange(0, 128, layout=layout)
    gl.store(dst + at, gl.load(src + at, mask=at < n), mask=at < n)

x = torch.empty(128, device="cuda")
warp = torch.cuda.get_device_properties(0).warp_size
for per_thread in (1, 2, 4):
    copy[(1,)](x, x, 100 + per_thread, gl.BlockedLayout([per_thread], [warp], [4], [0]))
raise ValueError("the end")
"""


def test_any_number_of_processes_gives_the_same_bytes_and_errors(tmp_path: Path):
    script, ir, torn = tmp_path / "copy.py", tmp_path / "good.ttgir", tmp_path / "torn.ttgir"
    script.write_text(SCRIPT)
    ir.write_text(KERNEL)
    torn.write_text(KERNEL[:-20])
    request = Request((str(script), str(ir), "absent.ttgir", str(torn)), targets=("cuda:90", "hip:gfx942"))
    one, two = (inspection.inspect_all(request, jobs=jobs) for jobs in (1, 2))
    assert [kernel.name for kernel in one.report().kernels[:6]] == ["copy"] * 6
    assert load_format("json").render(one.report()) == load_format("json").render(two.report())
    assert one.report().notes == two.report().notes
    assert one.report().error == two.report().error is not None
    assert [str(failure) for failure in one.failures] == [str(failure) for failure in two.failures] != []


def test_a_kernel_by_name_is_found_in_whatever_part_it_lies(monkeypatch: pytest.MonkeyPatch):
    both = Capture("k.py", (CompiledKernel("first", "cuda:90"), CompiledKernel("second", "cuda:90")))
    monkeypatch.setattr(parallel, "capture_of", lambda *_: both)
    request = Request(("k.py",), kernels=("second",), cache=False, disassemblers=0)
    with ThreadPoolExecutor(1) as pool:
        (report,) = parallel.in_processes(pool, [("k.py", "cuda:90")], request, silent, pieces=2)
    assert isinstance(report, Report)
    assert [kernel.name for kernel in report.kernels] == ["second"]
