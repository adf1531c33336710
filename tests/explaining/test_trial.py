"""Which proposals share a run of the script, and what a run that fails leaves of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gluon_inspect.cli import main
from gluon_inspect.errors import CaptureError
from gluon_inspect.explaining import trial
from gluon_inspect.model.explanation import KernelExplanation, Proposal, ProposalStatus
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request
from tests.report import samples

REQUEST = Request(("kernels.py",))
Change = tuple[str, str, str, str]


def explanation(name: str, old: str, new: str) -> KernelExplanation:
    report = samples.ordinary().kernels[0]
    kernel = replace(report.kernel, name=name, constexprs={"layout": old})
    proposal = Proposal("another layout", (new,), substitutions={"layout": new})
    return KernelExplanation(replace(report, kernel=kernel), "", (), (proposal,), ())


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Change, ...]]:
    """The changes of each run; whatever is changed to "bad" does not compile, and takes its run along."""
    made: list[tuple[Change, ...]] = []

    def substituted(_request: Request, _target: str, changes: Sequence[Change], _tell: object) -> Report:
        made.append(tuple(changes))
        if any(new == "bad" for *_, new in changes):
            raise CaptureError("no such layout")
        names = {name for name, *_ in changes}
        return Report(tuple(each.report for each in KERNELS if each.report.name in names))

    monkeypatch.setattr(trial, "inspect_substituted", substituted)
    return made


KERNELS = tuple(explanation(name, "old", "new") for name in ("first", "second"))


def status(found: Sequence[KernelExplanation]) -> list[tuple[ProposalStatus, str]]:
    return [(each.proposals[0].status, each.proposals[0].note) for each in found]


def test_kernels_share_a_run(runs: list[tuple[Change, ...]]):
    found = trial.checked(KERNELS, REQUEST, most=1)
    assert runs == [(("first", "layout", "old", "new"), ("second", "layout", "old", "new"))]
    assert [each.proposals[0].after is not None for each in found] == [True, True]


def test_changes_that_contradict_each_other_do_not_share_and_may_be_left(runs: list[tuple[Change, ...]]):
    one, other = explanation("first", "old", "new"), explanation("first", "old", "newer")
    found = trial.checked((one, other), REQUEST, most=1)
    assert runs == [(("first", "layout", "old", "new"),)]
    assert found[1] is other
    assert len(trial.checked((one, other), REQUEST)) == 2
    assert runs[1:] == [(("first", "layout", "old", "new"),), (("first", "layout", "old", "newer"),)]


def test_a_change_that_does_not_compile_costs_the_others_nothing(runs: list[tuple[Change, ...]]):
    found = trial.checked((explanation("third", "old", "bad"), *KERNELS), REQUEST)
    assert len(runs) == 4
    assert status(found)[0] == (ProposalStatus.REJECTED, "it did not compile: no such layout")
    assert [each.proposals[0].after is not None for each in found] == [False, True, True]


def test_what_is_compiled_already_is_not_said_to_be_tried(capsys: pytest.CaptureFixture[str]):
    capture = Path(__file__).parents[1] / "tui" / "data" / "kernels.gi"
    assert main(["explain", str(capture), "--try"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "predicted, not compiled" in shown
    assert "did not compile" not in shown
    assert "tried and not better" not in shown
