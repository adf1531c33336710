from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

import pytest

from gluon_inspect.errors import InspectError, ParseError, Position
from gluon_inspect.workflow import inspection
from gluon_inspect.workflow.executors import InlineExecutor, executor
from gluon_inspect.workflow.request import Request


def failing(message: str) -> int:
    raise ParseError(message, position=Position("k.ttgir", 3, 4), hint="mend it")


def doubled(value: int) -> int:
    return 2 * value


def test_inline_work_is_done_when_asked_for_and_once():
    done: list[int] = []

    def work(value: int) -> int:
        done.append(value)
        return value

    with InlineExecutor() as pool:
        future = pool.submit(work, 7)
        assert done == []
        assert (future.result(), future.result()) == (7, 7)
    assert done == [7]


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_and_errors_are_the_same_whatever_the_number_of_jobs(jobs: int):
    with executor(jobs) as pool:
        futures = [pool.submit(doubled, value) for value in range(3)]
        bad = pool.submit(failing, "truncated")
        assert [future.result() for future in futures] == [0, 2, 4]
        with pytest.raises(InspectError) as raised:
            bad.result()
    assert str(raised.value) == "k.ttgir:3:4: truncated (hint: mend it)"


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
    pools = iter([executor(1), DeadPool()])
    monkeypatch.setattr(inspection, "executor", lambda _: DeadPool())
    monkeypatch.setattr(inspection, "fresh_process", lambda: next(pools))
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
