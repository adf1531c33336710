from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.model.finding import Finding, Metric, Severity
from gluon_inspect.model.report import Report
from gluon_inspect.project.budgets import with_budgets, with_time_budgets
from gluon_inspect.project.comparison import compared
from gluon_inspect.project.configuration import Budget
from gluon_inspect.project.gate import parse_gate
from gluon_inspect.report.json import document
from tests.report import samples


def broken_limits(report: Report) -> list[Finding]:
    return [finding for kernel in report.kernels for finding in kernel.findings if finding.rule == "GI901"]


@pytest.mark.parametrize(
    ("key", "limit", "message"),
    [
        ("sectors-per-request", 16, "sectors-per-request is 32, above the limit of 16"),
        ("registers", 32, "registers is 40, above the limit of 32"),
        ("shared-bytes", 1000, "shared-bytes is 16,384, above the limit of 1,000"),
        ("occupancy", 0.75, "occupancy is 0.5, below the limit of 0.75"),
    ],
)
def test_a_limit_passed_is_an_error(key: str, limit: float, message: str):
    report = with_budgets(samples.ordinary(), (Budget("copy_*", "cuda:*", {key: limit}),))
    assert [(one.severity, one.message) for one in broken_limits(report)] == [(Severity.ERROR, message)]


@pytest.mark.parametrize(
    ("key", "limit"),
    [("sectors-per-request", 32), ("registers", 40), ("spill-bytes", 0), ("occupancy", 0.5), ("scalar-loads", 0)],
)
def test_a_limit_reached_is_kept(key: str, limit: float):
    assert broken_limits(with_budgets(samples.ordinary(), (Budget("copy_*", "*", {key: limit}),))) == []


def test_other_kernels_and_targets_are_not_judged():
    budgets = (Budget("other", "*", {"registers": 1}), Budget("*", "hip:*", {"registers": 1}))
    assert broken_limits(with_budgets(samples.ordinary(), budgets)) == []


def test_an_unknown_number_is_a_note_and_never_within_its_limit():
    report = with_budgets(samples.ordinary(), (Budget("clean", "*", {"registers": 64}),))
    assert [(one.severity, one.message) for one in broken_limits(report)] == [
        (Severity.NOTE, "registers is unknown and has a limit of 64")
    ]


def timed(milliseconds: float) -> Report:
    report = samples.ordinary()
    kernel = replace(report.kernels[1], metrics=(Metric("expected_time", "Predicted time", milliseconds, "ms"),))
    return replace(report, kernels=(kernel,))


@pytest.mark.parametrize(("now", "code"), [(1.0, 0), (1.04, 0), (1.2, 1), (0.5, 0)])
def test_predicted_time_against_the_baseline(now: float, code: int):
    report = compared(timed(now), document(timed(1.0)), "base.json")
    report = with_time_budgets(report, (Budget("*", "*", {"time-ratio": 1.05}),))
    assert parse_gate("error").exit_code(report) == code
