from __future__ import annotations

import pytest

from gluon_inspect.errors import InspectError, ParseError, Position
from gluon_inspect.workflow.executors import InlineExecutor, executor


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
