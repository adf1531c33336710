"""A comparison begins with the time: before and after, and whether the model can tell them apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.model.change import Change, Comparison, TimeChange
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.report import Report
from gluon_inspect.project.comparison import comparison
from gluon_inspect.report import load_format
from gluon_inspect.report.json import document
from gluon_inspect.tables.changes import comparison_tables
from gluon_inspect.wording.cells import said
from tests.report import samples


def timed(seconds: float | None, band: float | None = 0.1) -> Report:
    first, second = samples.ordinary().kernels
    cost = None
    if seconds is not None:
        parts = {Resource.DRAM: seconds}
        cost = KernelCost(seconds, Resource.DRAM, parts, (), Confidence.EXACT, ModelStatus.VALIDATED, band=band)
    return replace(samples.ordinary(), kernels=(replace(first, cost=cost), second))


def between(before: Report, after: Report) -> Comparison:
    return comparison(document(before), document(after), "base.json")


@pytest.mark.parametrize(
    ("ratio", "band", "told"),
    [
        (1.5, 0.1, "1.5x slower (± 10%)"),
        (0.5, 0.1, "2x faster (± 10%)"),
        (1.05, 0.1, "1.05x slower, within the model's error (± 10%)"),
        (1 / 1.09, 0.1, "1.09x faster, within the model's error (± 10%)"),
        (1 / 1.11, 0.1, "1.11x faster (± 10%)"),
        (1.5, None, "1.5x slower, the model's error is not known"),
    ],
)
def test_a_ratio_is_said_with_the_model_s_error(ratio: float, band: float | None, told: str):
    (table, *_) = comparison_tables(between(timed(100e-6, band), timed(100e-6 * ratio, band)))
    assert table.title == "Expected time against base.json"
    assert [said(cell) for cell in table.rows[0]] == [
        "copy_2d cuda:90", "100 µs", f"{100 * ratio:.3g} µs", told,
    ]  # fmt: skip


def test_the_wider_band_counts_and_what_gets_slowest_stands_first():
    found = between(timed(100e-6, 0.1), timed(105e-6, 0.3))
    assert [(each.kernel, each.band) for each in found.times] == [("copy_2d", 0.3), ("clean", None)]
    times = (TimeChange("a", "t", 2.0, 1.0), TimeChange("b", "t", 1.0, 2.0))
    assert [each.ratio for each in times] == [0.5, 2.0]


def test_a_time_that_stays_is_counted_below_the_table_and_an_unknown_one_is_no_change():
    assert comparison_tables(between(timed(1e-3), timed(1.005e-3)))[0].title == "Nothing changed against base.json"
    (table, *_) = comparison_tables(between(timed(1e-3), timed(None)))
    assert [said(cell) for cell in table.rows[0]] == ["copy_2d cuda:90", "1 ms", "", ""]
    moved = Comparison("b", (), times=(TimeChange("a", "t", 1.0, 2.0, 0.1), TimeChange("c", "t", 1.0, 1.0, 0.1)))
    assert comparison_tables(moved)[0].note == "1 kernel as before, within 1%"


def test_findings_that_are_new_or_gone_stand_between_the_time_and_the_rest():
    base = timed(100e-6)
    head = replace(base, kernels=(replace(base.kernels[0], findings=(), shared_bytes=7), base.kernels[1]))
    titles = [table.title for table in comparison_tables(between(base, head))]
    assert titles == ["Findings against base.json", "Changes against base.json"]
    (found, _) = comparison_tables(between(base, head))
    assert {said(row[0]) for row in found.rows} == {"gone"}
    (found, _) = comparison_tables(between(head, base))
    assert {said(row[0]) for row in found.rows} == {"new"}


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_a_page_with_a_comparison_begins_with_the_time(name: str):
    text = load_format(name).render(Report((), comparison=between(timed(100e-6), timed(200e-6))))
    place = text.index("Expected time against base.json")
    assert "2x slower" in text
    assert place < text.index("2x slower")
    assert "slower" not in text[:place]


def test_the_time_is_not_said_twice():
    changes = (Change("a", "t", "predicted time (ms)", 1.0, 2.0, False, 2.0, key="expected_time"),)
    (only,) = comparison_tables(Comparison("b", changes, times=(TimeChange("a", "t", 1.0, 2.0, 0.1),)))
    assert only.key == "times"
    (only,) = comparison_tables(Comparison("b", changes))
    assert only.key == "changes"
