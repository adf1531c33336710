"""What Python prints of a report fits a terminal, holds no IR and lets nobody's names act on it."""

from dataclasses import replace

import pytest

from gluon_inspect.ir.text import parse_mlir
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.report import Report
from tests.report import samples

IR = "module {\n" + "\n".join(f"  %{at} = arith.constant 1 : i32" for at in range(1000)) + "\n}\n"


def _large(report: Report) -> Report:
    (first, *_) = report.kernels
    kernel = replace(first.kernel, stages={"ttgir": IR, "sass": IR}, binaries={"cubin": b"x" * 10_000})
    return replace(report, kernels=(replace(first, kernel=kernel),) * 200, sources={"a.py": IR})


@pytest.mark.parametrize("report", [_large(samples.ordinary()), _large(samples.hostile()), samples.empty()])
def test_a_report_and_its_parts_are_a_few_printable_lines(report: Report):
    assert len(repr(report).split("\n")) <= 12
    kernels = report.kernels[:1]
    parts = [part for kernel in kernels for part in (*kernel.accesses, *kernel.conversions, *kernel.findings)]
    capture = Capture(report.origin, tuple(kernel.kernel for kernel in report.kernels))
    others = (*kernels, *(kernel.kernel for kernel in kernels), *(kernel.launch for kernel in kernels))
    for one in (capture, *parts, *others, *(table for kernel in kernels for table in kernel.tables)):
        assert "\n" not in repr(one)
    for line in (line for one in (report, capture, *parts, *others) for line in repr(one).split("\n")):
        assert line.isprintable()
        assert len(line) <= 245
        assert "arith" not in line


def test_an_access_says_what_it_is_and_what_it_costs():
    text = repr(samples.ordinary().kernels[0].accesses[0])
    assert text == (
        "<Access access-7: global load tt.load at copy_2d.py:7:13, requests=4096, sectors=131072, "
        "sectors_ideal=16384, exact>"
    )


def test_a_module_does_not_print_its_operations():
    module = parse_mlir(IR)
    assert repr(module) == "<Module of 1001 operations: >"
    assert repr(next(module.walk())).startswith("<Operation builtin.module at ")
