"""What to write instead, put into a report for its worst kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.bulkheads import Fault
from gluon_inspect.explaining import replacements
from gluon_inspect.model.explanation import Effect, KernelExplanation, Proposal
from gluon_inspect.model.finding import Replacement, Severity
from gluon_inspect.model.report import KernelReport, Report
from tests.report import samples

BETTER = Proposal("another layout", ("layout = L", "", "# or else", "x"), Effect(2, 1, 10e-6, 5e-6))
WORSE = Proposal("a slower one", ("layout = M",), Effect(2, 1, 10e-6, 20e-6))


def told(report: Report, monkeypatch: pytest.MonkeyPatch, *proposals: Proposal) -> Report:
    def explain(kernel: KernelReport, *, finding: str) -> KernelExplanation:
        assert any(each.id == finding for each in kernel.findings)
        return KernelExplanation(kernel, "", (), proposals, ())

    monkeypatch.setattr(replacements, "explain", explain)
    return replacements.with_replacements(report)


def test_the_first_proposal_that_is_faster_stands_in_the_worst_finding_up_to_its_first_empty_line(
    monkeypatch: pytest.MonkeyPatch,
):
    found = told(samples.ordinary(), monkeypatch, WORSE, BETTER)
    first, second = found.kernels[0].findings
    assert first.replacement == Replacement("another layout", ("layout = L",), 10e-6, 5e-6)
    assert second.replacement is None


def test_nothing_is_written_where_nothing_is_faster(monkeypatch: pytest.MonkeyPatch):
    assert told(samples.ordinary(), monkeypatch, WORSE) == samples.ordinary()


def test_only_the_first_few_kernels_are_searched_and_only_for_rules_about_layouts(monkeypatch: pytest.MonkeyPatch):
    report = samples.many(5)
    own = tuple(
        replace(each, findings=(replace(each.findings[0], location=None, subject=each.name),))
        for each in report.kernels
    )
    found = told(replace(report, kernels=own), monkeypatch, BETTER)
    assert sum(each.findings[0].replacement is not None for each in found.kernels) == replacements.MOST_KERNELS
    spill = replace(own[0].findings[0], rule="GI302")
    spilled = replace(report, kernels=(replace(own[0], findings=(spill,)),))
    assert told(spilled, monkeypatch, BETTER) is spilled


def test_a_note_of_unknown_loss_is_not_searched_for(monkeypatch: pytest.MonkeyPatch):
    report = samples.many(1)
    note = replace(report.kernels[0].findings[0], severity=Severity.NOTE, cost=None)
    noted = replace(report, kernels=(replace(report.kernels[0], findings=(note,)),))
    assert told(noted, monkeypatch, BETTER) is noted


def test_a_fault_of_the_search_costs_the_replacement_alone(monkeypatch: pytest.MonkeyPatch):
    def explain(kernel: KernelReport, *, finding: str) -> KernelExplanation:
        raise ZeroDivisionError(kernel.name + finding)

    monkeypatch.setattr(replacements, "explain", explain)
    found = replacements.with_replacements(samples.ordinary())
    (fault,) = found.kernels[0].faults
    assert isinstance(fault, Fault)
    assert fault.where == "copy_2d, 0: explain"
    assert found.kernels[0].findings == samples.ordinary().kernels[0].findings
