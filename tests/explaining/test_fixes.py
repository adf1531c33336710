"""Which fixes are kept: those with which nothing that is launched fails, moves other bytes or gets slower."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from gluon_inspect.errors import CaptureError
from gluon_inspect.explaining import fixes
from gluon_inspect.explaining.fixes import Fixed, checked, unchecked
from gluon_inspect.explaining.fixes_told import headline, page
from gluon_inspect.fixing.patch import Sources
from gluon_inspect.model.artifact import ScriptError
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.explanation import KernelExplanation, Proposal
from gluon_inspect.model.finding import Table
from gluon_inspect.model.page import Prose
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.model.request import Request
from tests.report import samples

TEXT = "def one(A, B): pass\n\none[(1,)](A=16, B=32)\none[(2,)](A=17, B=33)\n"
FILE = "/somewhere/kernels.py"


def launch(seconds: float, **constants: str) -> KernelReport:
    sample = samples.ordinary().kernels[0]
    kernel = replace(
        sample.kernel,
        name="one",
        constexprs=constants,
        source_file=FILE,
        source_line=1,
        error="",
        configuration={},
    )
    cost = KernelCost(seconds, Resource.DRAM, {}, (), Confidence.EXACT, ModelStatus.VALIDATED)
    return replace(sample, kernel=kernel, cost=cost)


FIRST, SECOND = launch(4e-6, A="16", B="32"), launch(8e-6, A="17", B="33")
BEFORE = Report((FIRST, SECOND), sources={FILE: TEXT})
TO_A, TO_B = Proposal("A", (), substitutions={"A": "64"}), Proposal("B", (), substitutions={"B": "128"})


def explained(kernel: KernelReport, *proposals: Proposal) -> KernelExplanation:
    return KernelExplanation(kernel, "", (), proposals, ())


def run(
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[str], Report],
    *explanations: KernelExplanation,
) -> tuple[Fixed, list[str]]:
    runs: list[str] = []

    def inspected(_request: Request, _target: str, texts: Mapping[str, str], *_: object) -> Report:
        runs.append("".join(line for line in texts[FILE].splitlines()[2:]))
        return answer(texts[FILE])

    monkeypatch.setattr(fixes, "inspect_rewritten", inspected)
    sources = Sources(BEFORE.sources)
    return checked(BEFORE, explanations, sources, Request((FILE,))), runs


def test_all_at_once_where_that_is_better(monkeypatch: pytest.MonkeyPatch):
    answer = Report((launch(2e-6), launch(3e-6)))
    fixed, runs = run(monkeypatch, lambda _: answer, explained(FIRST, TO_A), explained(SECOND, TO_B))
    assert runs == ["one[(1,)](A=64, B=32)one[(2,)](A=17, B=128)"]
    assert [each.proposal.title for each in fixed.fixes] == ["A", "B"]
    assert fixed.is_checked
    told = "2 proposals in kernels.py, compiled and inspected: all launches take 36 µs before, 15 µs after"
    assert headline(fixed, ["kernels.py"]) == told
    (table,) = page(fixed)
    assert isinstance(table, Table)
    assert len(table.rows) == 2


def test_the_next_best_is_tried_where_another_launch_gets_slower(monkeypatch: pytest.MonkeyPatch):
    def answer(text: str) -> Report:
        return Report((launch(2e-6), launch(9e-6 if "A=64" in text else 8e-6)))

    fixed, runs = run(monkeypatch, answer, explained(FIRST, TO_A, replace(TO_B, substitutions={"B": "64"})))
    assert len(runs) == 2
    assert [each.proposal.title for each in fixed.fixes] == ["B"]
    assert not fixed.left
    assert fixed.texts == {FILE: TEXT.replace("A=16, B=32", "A=16, B=64")}


SLOW = Report((launch(3.95e-6), SECOND))
BROKEN = Report((replace(FIRST, kernel=replace(FIRST.kernel, error="no such layout\nmore")), SECOND))
ELSEWHERE = Report((replace(FIRST, accesses=FIRST.accesses[:1], cost=launch(1e-6).cost), SECOND))


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (SLOW, "one takes no less time with it: 4 µs before, 3.95 µs after"),
        (BROKEN, "one does not compile with it: no such layout"),
        (ELSEWHERE, "one then moves other bytes: does its grid follow the change?"),
        (Report((replace(FIRST, cost=None), SECOND)), "what one takes then is not known"),
        (
            Report((FIRST, SECOND), error=ScriptError("ValueError: no", FILE, 3)),
            "the script fails with it: the script raised ValueError: no",
        ),
        (Report(()), "one is then not launched as it was"),
    ],
)
def test_what_is_not_better_is_left_with_its_reason(monkeypatch: pytest.MonkeyPatch, answer: Report, why: str):
    fixed, runs = run(monkeypatch, lambda _: answer, explained(FIRST, TO_A))
    assert len(runs) == 1
    assert not fixed.fixes
    assert not fixed.texts
    assert [each.why for each in fixed.left] == [why]
    assert headline(fixed, []) == "nothing was changed"
    assert list(page(fixed)) == [Prose(f"one, not changed: A: {why}.")]


def test_a_script_that_cannot_be_run_again_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    def answer(_: str) -> Report:
        raise CaptureError("it died")

    fixed, _ = run(monkeypatch, answer, explained(FIRST, TO_A))
    assert [each.why for each in fixed.left] == ["the script cannot be run with it: it died"]


def test_what_changes_one_place_twice_waits(monkeypatch: pytest.MonkeyPatch):
    other = replace(TO_A, title="A again", substitutions={"A": "128"})

    def answer(text: str) -> Report:
        return Report((launch(2e-6 if "A=64" in text else 5e-6), SECOND))

    fixed, runs = run(monkeypatch, answer, explained(FIRST, TO_A), explained(replace(FIRST), other))
    assert len(runs) == 1
    assert [(each.proposal.title, each.why) for each in fixed.left] == [
        ("A again", "it changes the same place as another: fix once more")
    ]


def test_a_further_proposal_is_kept_where_it_helps_on_top(monkeypatch: pytest.MonkeyPatch):
    def answer(text: str) -> Report:
        return Report((launch(1e-6 if "B=128" in text else 2e-6), SECOND))

    conflicting = replace(TO_A, title="C", substitutions={"A": "32"})
    also = replace(TO_B, substitutions={"B": "128"})
    fixed, runs = run(monkeypatch, answer, explained(FIRST, TO_A, also, conflicting))
    assert len(runs) == 2
    assert [each.proposal.title for each in fixed.fixes] == ["A", "B"]
    assert not fixed.left
    assert fixed.texts == {FILE: TEXT.replace("A=16, B=32", "A=64, B=128")}


def test_what_cannot_be_run_again_is_predicted():
    fixed = unchecked([explained(FIRST, TO_A)], Sources(BEFORE.sources))
    assert headline(fixed, ["kernels.py"]) == "1 proposal in kernels.py: predicted, not compiled"
    assert not list(page(fixed))
