"""Both drawings of the roofline."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from gluon_inspect.cost.roofline import LEAST_INTENSITY, roofline
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.report import KernelReport, Measurement, Report, Timing
from gluon_inspect.report import Style, roofchart
from gluon_inspect.report import roofline as drawing
from gluon_inspect.targets.nvidia import SM_90


def _kernel(name="copy<k>", moved=1 << 30, flops=0, ms=None, seconds=5e-4, target="cuda:90") -> KernelReport:
    access = Access("g0", "tt.load", Space.GLOBAL, Direction.LOAD, None, bytes_unique=moved)
    cost = KernelCost(seconds, Resource.DRAM, {}, (), Confidence.EXACT, ModelStatus.VALIDATED)
    measured = None if ms is None else Measurement("NVIDIA H200", Timing(ms, ms, ms, 10))
    return KernelReport(
        CompiledKernel(name, target), Launch("l"), accesses=(access,), measurement=measured, cost=cost, flops=flops
    )


def test_the_roof_is_bandwidth_then_arithmetic():
    chart = roofline(SM_90, [])
    assert chart.roof(1.0) == SM_90.dram_bytes_per_second
    assert chart.roof(1e6) == chart.peak


def test_a_point_without_products_is_as_far_below_as_its_bandwidth():
    (point,) = roofline(SM_90, [_kernel()]).points
    assert point.intensity == LEAST_INTENSITY
    share = point.rate / roofline(SM_90, []).roof(point.intensity)
    assert share == pytest.approx((1 << 30) / 5e-4 / SM_90.dram_bytes_per_second)
    assert not point.measured


def test_a_measured_time_comes_before_an_expected_one():
    (point,) = roofline(SM_90, [_kernel(flops=1 << 40, ms=2.0)]).points
    assert point.measured
    assert point.rate == pytest.approx((1 << 40) / 2e-3)
    assert point.intensity == pytest.approx(1024)


def test_launches_without_bytes_or_time_are_left_out():
    assert roofline(SM_90, [_kernel(moved=None)]).points == ()


def test_the_svg_is_well_formed_and_names_every_launch():
    report = Report((_kernel(), _kernel("matmul", flops=1 << 40, ms=1.0), _kernel("amd", target="hip:gfx942")))
    text = drawing.render(report)
    root = ElementTree.fromstring(text)
    circles = root.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 3
    assert "copy&lt;k&gt;" in text
    assert "MI300X" in text
    assert all(0 <= float(c.get("cx")) <= 720 and 0 <= float(c.get("cy")) <= 420 for c in circles)


@pytest.mark.parametrize("width", [20, 80, 300])
def test_the_chart_fits_its_width(width):
    report = Report((_kernel(), _kernel("matmul", flops=1 << 42, ms=1.0)))
    lines = roofchart.render(report, Style(width=width)).splitlines()
    drawn = [line for line in lines if "│" in line]
    assert len(drawn) == 16
    assert max(map(len, drawn)) <= min(max(width, 40), 100)
    assert sum("1" in line.split("│")[1] for line in drawn) == 1
    assert any(line.strip().startswith("2 matmul") and "measured" in line for line in lines)


@pytest.mark.parametrize("kernel", [_kernel("lost", moved=None), _kernel("lost", target="cuda:17")])
def test_what_is_not_drawn_is_named(kernel):
    report = Report((kernel, _kernel("seen")))
    for text in (roofchart.render(report), drawing.render(report)):
        assert "not drawn, bytes or time unknown: lost" in text
        assert "seen" in text


def test_nothing_to_draw_is_said():
    assert roofchart.render(Report(())) == "no launch\n"
    ElementTree.fromstring(drawing.render(Report(())))
