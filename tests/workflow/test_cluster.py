from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from pathlib import Path
from typing import Any

import pytest
from distributed import KilledWorker, LocalCluster

from gluon_inspect.cli import main
from gluon_inspect.errors import CaptureError, UsageError
from gluon_inspect.model.request import Request
from gluon_inspect.report import load_format
from gluon_inspect.workflow.cluster import _compare, _in_folder, _Workers, cluster
from gluon_inspect.workflow.inspection import inspect_all

KERNEL = """
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @NAME() { tt.return }
}
"""
SCRIPT = """
import torch, triton, triton.language as tl

@triton.jit
def copy(x, y, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + o, tl.load(x + o))

@triton.jit
def strided(x, y, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + o, tl.load(x + o * 32))

x, y = torch.empty(1 << 20, device="cuda"), torch.empty(1 << 15, device="cuda")
copy[(64,)](x, y, 512)
strided[(64,)](x, y, 512)
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as local:
        yield local.scheduler_address


def test_a_report_is_the_same_from_a_cluster(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Relative paths too: workers work where they are asked from."""
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text(SCRIPT)
    Path("first.ttgir").write_text(KERNEL.replace("NAME", "first"))
    request = Request(("script.py", "first.ttgir", "absent.ttgir"))
    here, there = inspect_all(request), inspect_all(request, scheduler=address)
    texts = [load_format("json").render(each.report()) for each in (here, there)]
    # how long a compilation took is measured anew
    one, other = (re.sub(r'"compile_seconds": [\d.e-]+', "", text) for text in texts)
    assert one == other
    assert [each.name for each in there.kernels] == ["copy", "strided", "first"]
    assert list(map(str, there.failures)) == list(map(str, here.failures)) != []


def dies_once(marker: Path) -> str:
    """Kills its worker where nobody has done so before."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def test_a_lost_worker_costs_time_alone(address: str, tmp_path: Path):
    with cluster(address) as (pool, width):
        assert width in (1, 2)
        assert pool.submit(dies_once, tmp_path / "marker").result(timeout=60) == "done"


def test_a_folder_that_workers_do_not_see_is_said(tmp_path: Path):
    with pytest.raises(CaptureError) as told:
        _in_folder(str(tmp_path / "elsewhere"), lambda: "")
    assert str(told.value) == (
        f"a worker cannot work in {tmp_path}/elsewhere: No such file or directory "
        "(hint: all machines of the cluster must see the same files at the same places)"
    )


class Ended(Executor):
    """Gives futures that have ended in an error."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def submit(self, _fn: Any, /, *_args: Any, **_kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(self.error)
        return future


@pytest.mark.parametrize("error", [KilledWorker("task", None, 4), CancelledError()], ids=["killed", "cancelled"])
def test_a_task_that_kills_every_worker_is_one_whose_pool_broke(error: Exception):
    with pytest.raises(BrokenExecutor):
        _Workers(Ended(error), KilledWorker).submit(len, "x").result()


def test_workers_of_another_version_are_refused():
    with pytest.raises(UsageError, match=r"^gluon-inspect on the worker tcp://a: 0\.0\.0; here: "):
        _compare({"tcp://a": "0.0.0"})


def test_a_scheduler_that_is_not_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("gluon_inspect.workflow.cluster._CONNECTION_SECONDS", 0.2)
    file = tmp_path / "first.ttgir"
    file.write_text(KERNEL.replace("NAME", "first"))
    assert main(["report", str(file), "--scheduler", "tcp://127.0.0.1:9"]) == 2
    said = capsys.readouterr().err
    assert "no scheduler answers at tcp://127.0.0.1:9" in said
    assert "start one with `dask scheduler`" in said
