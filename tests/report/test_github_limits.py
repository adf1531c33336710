"""What code hosts do not take is left out with a line that says so."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gluon_inspect.report import github, sarif
from tests.report import samples


def test_more_annotations_than_github_shows_are_counted():
    kernel = samples.ordinary().kernels[0]
    finding = kernel.findings[0]
    many = tuple(replace(finding, id=f"f{n}", message=f"number {n}") for n in range(13))
    report = replace(samples.ordinary(), kernels=(replace(kernel, findings=many),))
    *_, last = github.render(report).splitlines()
    kind = github.render(report).split("::")[1].split(" ")[0]
    assert last == f"3 more of kind {kind} are in this log only: GitHub shows 10 a step"


def test_more_results_than_code_scanning_takes_are_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 1)
    report = samples.ordinary()
    total = sum(len(kernel.findings) for kernel in report.kernels)
    (run,) = json.loads(sarif.render(report))["runs"]
    assert len(run["results"]) == 1
    told = [each["message"]["text"] for each in run["invocations"][0]["toolExecutionNotifications"]]
    assert any(text.startswith(f"{total - 1} findings are left out") for text in told)
