"""A kernel and its proposal timed: who gets which time, and how both are told."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gluon_inspect.explaining import measured
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.output import write
from gluon_inspect.explaining.text import as_markdown
from gluon_inspect.model.report import Measurement, Report, Timing
from gluon_inspect.model.request import Request, silent
from tests.explaining.test_explain import DOWN_THE_ROWS, report_with_constexpr


def _explanation():
    """With a proposal that was compiled, its kernel standing for what became of it."""
    found = explain(report_with_constexpr(DOWN_THE_ROWS))
    best = found.proposals[0]
    return replace(found, proposals=(replace(best, after=replace(found.report, cost=None)), best))


def _timed(kernel, milliseconds, note="events"):
    time = Timing(milliseconds, milliseconds, milliseconds, 40)
    return replace(kernel, measurement=Measurement("NVIDIA H200", time, notes=(note,)))


@pytest.fixture
def gpu(monkeypatch):
    """A GPU that needs 4 ms for the first kernel of each pair and 2 ms for the second."""

    def run(report: Report, *_, count: bool) -> Report:
        assert not count
        times = [(4.0, "events"), (2.0, "inconclusive: the series differ")] * len(report.kernels)
        return replace(report, kernels=tuple(_timed(k, *t) for k, t in zip(report.kernels, times, strict=False)))

    monkeypatch.setattr(measured, "measured", run)


def _lines(explanation):
    return [line for line in as_markdown(explanation, {}).splitlines() if "easured " in line]


@pytest.mark.usefixtures("gpu")
def test_both_stand_beside_their_prediction():
    pairs = measured.with_measurements([_explanation(), _explanation()], Request(("k.py",)), silent)
    for explanation in pairs:
        first, second = _lines(explanation)
        assert first.startswith("Measured on NVIDIA H200: 4")
        assert "expected" in first
        assert "inconclusive: the series differ" in second
        assert second.endswith("2.00 times as fast as before")


@pytest.mark.usefixtures("gpu")
def test_json_has_both_measurements(tmp_path):
    (found,) = measured.with_measurements([_explanation()], Request(("k.py",)), silent)
    write([found], {}, "json", str(tmp_path / "out.json"))
    (data,) = json.loads((tmp_path / "out.json").read_text())
    assert data["measurement"]["time_ms"]["median"] == 4.0
    assert data["proposals"][0]["measurement"]["time_ms"]["median"] == 2.0
    assert data["proposals"][1]["measurement"] is None
    assert "after" not in data["proposals"][0]


def test_without_a_gpu_one_line_among_the_limits_says_so():
    (found,) = measured.with_measurements([_explanation()], Request(("k.py",)), silent)
    assert [limit for limit in found.limits if "measured: " in limit] == ["not measured: torch sees no GPU"]
    assert _lines(found) == []
