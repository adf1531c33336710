"""The list of kernels: filtered, sorted, each in three lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource, Stall, Standing
from gluon_inspect.model.finding import Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Measurement, Report, Timing
from gluon_inspect.tui.kernels import (
    Order,
    entry,
    listed,
    lost_seconds,
    seconds_of,
    spark,
    told_apart,
    worst_index,
)
from tests.tui import samples


def kernel(name: str, microseconds: float | None = None, *severities: Severity) -> KernelReport:
    return KernelReport(
        CompiledKernel(name, "cuda:90"),
        Launch("launch0", grid=(64, 1, 1)),
        cost=None if microseconds is None else cost(microseconds * 1e-6),
        findings=tuple(samples.finding(number, severity, 3) for number, severity in enumerate(severities)),
    )


def cost(seconds: float) -> KernelCost:
    return KernelCost(seconds, Resource.DRAM, {}, (), Confidence.EXACT, ModelStatus.VALIDATED)


REPORT = Report(
    (
        kernel("copy", 3.0),
        kernel("softmax", None, Severity.NOTE, Severity.ERROR),
        kernel("matmul", 900.0, Severity.WARNING),
        kernel("matmul_slow", 40.0, Severity.ERROR, Severity.ERROR),
    )
)


def test_words_find_names_targets_levels_and_rules():
    assert listed(REPORT, "", Order.RECORDED) == (0, 1, 2, 3)
    assert listed(REPORT, "MATMUL", Order.RECORDED) == (2, 3)
    assert listed(REPORT, "matmul error", Order.RECORDED) == (3,)
    assert listed(REPORT, "gi901", Order.RECORDED) == (1, 3)
    assert listed(REPORT, "made-up cuda:90 64", Order.RECORDED) == (1, 2, 3)
    assert listed(REPORT, "nothing of the kind", Order.RECORDED) == ()


def test_orders_put_the_unknown_last():
    assert listed(REPORT, "", Order.SLOWEST) == (2, 3, 0, 1)
    assert listed(REPORT, "", Order.WORST) == (3, 1, 2, 0)
    assert listed(REPORT, "matmul", Order.WORST) == (3, 2)


def test_an_entry_says_time_and_worst_finding():
    lines = entry(REPORT.kernels[1], dark=True).plain.split("\n")
    assert lines == ["✖ softmax 64", "  cuda:90", "  made-up-rule +1"]
    assert entry(REPORT.kernels[2], dark=True).plain.split("\n")[1] == "  ~900 µs  DRAM"
    assert entry(REPORT.kernels[0], dark=True).plain.split("\n")[2] == "  nothing judged"


def test_a_measured_time_goes_before_an_expected_one():
    measured = replace(REPORT.kernels[2], measurement=Measurement("H200", Timing(0.5, 0.4, 0.6, 10)))
    assert seconds_of(measured) == 0.5e-3
    assert entry(measured, dark=True).plain.split("\n")[1] == "  500 µs  DRAM"


def losing(name: str, microseconds: float, loses: float, count: int = 1) -> KernelReport:
    found = kernel(name, microseconds, Severity.WARNING)
    finding = replace(found.findings[0], lost_seconds=loses * 1e-6)
    return replace(found, findings=(finding,), launch=replace(found.launch, count=count))


def test_the_kernel_that_loses_most_over_its_launches_stands_first():
    report = Report((losing("slow", 900.0, 10.0), losing("often", 20.0, 4.0, count=5), kernel("clean", 5000.0)))
    assert listed(report, "", Order.WORST) == (1, 0, 2)
    assert worst_index(report) == 1
    assert lost_seconds(report.kernels[1]) == pytest.approx(20e-6)
    assert entry(report.kernels[1], dark=True).plain.split("\n")[2] == "  -20 µs made-up-rule"


def test_a_spark_says_where_the_time_goes_from_the_first_line_to_the_last():
    stood = [
        Standing(at, "LDG", Location("k.py", line), share, {Stall.LONG_SCOREBOARD: share})
        for at, (line, share) in enumerate(((10, 0.9), (13, 0.1)))
    ]
    found = replace(kernel("copy", 3.0), cost=replace(cost(3e-6), standing=tuple(stood)))
    assert spark(found) == "█  ▁ "
    assert spark(kernel("copy", 3.0)) == ""


def test_launches_are_told_apart_by_what_differs():
    one, other = (
        replace(each, launch=replace(each.launch, arguments={"n": size, "m": 5}))
        for each, size in ((kernel("copy"), 64), (kernel("copy"), 4096))
    )
    assert told_apart((one, other, kernel("alone"))) == ("n=64", "n=4096", "")
