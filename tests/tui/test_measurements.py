"""The words of a measurement, and of there being none."""

from __future__ import annotations

from dataclasses import replace

from gluon_inspect.model.finding import Column, Table
from gluon_inspect.model.report import KernelReport
from gluon_inspect.tui.measurements import bar, measurement_text
from tests.tui import samples


def said(kernel: KernelReport, width: int = 80) -> str:
    return "\n".join(passage.text for passage in measurement_text(kernel, width))


def test_without_a_measurement_it_says_how_to_get_one_and_shows_what_is_expected():
    kernel = samples.inspected().kernels[0]
    assert kernel.cost is not None
    shown = said(kernel)
    assert "--measure" in shown
    assert f"limited by {kernel.cost.limiting.value}" in shown
    assert f"1 {kernel.name}: " in shown
    assert "of the roof, expected" in shown
    assert "measured" not in shown.partition("Roofline")[2]


def test_a_kernel_of_which_nothing_is_known_has_no_chart():
    shown = said(samples.bare().kernels[0])
    assert "too little is known of its traffic" in shown
    assert "not drawn, bytes or time unknown: nothing" in shown


def test_measured_and_expected_stand_side_by_side_with_a_verdict():
    kernel = samples.inspected().kernels[0]
    assert kernel.cost is not None
    measured = replace(kernel, measurement=samples.measured().kernels[0].measurement)
    shown = said(measured)
    ratio = kernel.cost.seconds / 12.3e-6 - 1
    assert f"12.3 µs   expected {kernel.cost.seconds * 1e6:.3g} µs   {ratio:+.2%}" in shown
    assert "72%" in shown
    assert "of the roof, measured" in shown
    assert "of the roof, expected" in shown


def test_every_compared_quantity_has_its_verdict_in_columns():
    columns = (Column("quantity"), Column("predicted", "right"), Column("measured", "right"), Column("verdict"))
    rows = (("global load sectors", 8192, 8192, "equal"), ("registers", None, 24, "not predicted"))
    table = Table("measured_launch", "Predicted and measured, whole launch", columns, rows, note="1 of 1 equal")
    shown = said(replace(samples.measured().kernels[0], tables=(table,)))
    assert "Predicted and measured, whole launch (1 of 1 equal)" in shown
    assert "global load sectors      8,192     8,192  equal" in shown
    assert "registers              unknown        24  not predicted" in shown


def test_the_chart_is_as_wide_as_the_pane():
    kernel = samples.inspected().kernels[0]
    for width in (60, 90):
        chart = said(kernel, width).partition("Roofline")[2].split("\n")
        assert max(len(line) for line in chart if "│" in line or "└" in line) == width


def test_a_bar_stays_within_its_bounds():
    assert bar(0.5).count("█") == 20
    assert bar(1.7).count("█") == len(bar(1.7)) == 40
