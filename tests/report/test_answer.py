"""The answer that every format begins with: the same problems, in the same words, from one place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import load_format
from gluon_inspect.tables.matrix import target_tables
from gluon_inspect.verdict.problems import problems
from gluon_inspect.wording import answer
from gluon_inspect.wording.cells import said
from gluon_inspect.wording.compile_errors import in_six_words
from tests.report import samples

OUT_OF_SHARED = (
    "a.py:3: OutOfResources: out of resource: shared memory, Required: 294912, Hardware limit: 232448. "
    "Reducing block sizes or `num_stages` may help."
)


def cost(seconds: float) -> KernelCost:
    parts = {Resource.DRAM: seconds}
    return KernelCost(seconds, Resource.DRAM, parts, (), Confidence.EXACT, ModelStatus.VALIDATED)


def for_target(kernel: KernelReport, target: str, seconds: float | None = 10e-6, error: str = "") -> KernelReport:
    compiled = replace(kernel.kernel, target=target, error=error)
    findings = () if error else kernel.findings
    return replace(kernel, kernel=compiled, cost=cost(seconds) if seconds else None, findings=findings)


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_every_page_begins_with_the_heading_and_the_worst_problem(name: str):
    report = samples.ordinary()
    found = problems(report)
    text = load_format(name).render(report)
    text = text[text.index("2 problems in 2 kernels") :]
    assert answer.heading(report, found).startswith("2 problems in 2 kernels")
    parts = (found[0].finding.rule, answer.what(found[0]), answer.change(found[0]))
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_what_did_not_compile_is_not_called_free_of_problems():
    report = samples.broken()
    assert answer.heading(report, ()) == "1 kernel: nothing was judged; 1 not compiled or not read"


def test_a_problem_of_several_targets_loses_what_it_loses_on_the_first_of_them():
    kernel = samples.ordinary().kernels[0]
    finding = replace(kernel.findings[0], cost=0.5, lost_seconds=5e-6)
    worse = replace(finding, lost_seconds=8e-6)
    kernels = tuple(
        replace(for_target(kernel, target), findings=(each,))
        for target, each in (("cuda:80", finding), ("cuda:90", worse))
    )
    report = Report(kernels)
    (problem,) = problems(report)
    assert problem.targets == ("cuda:90", "cuda:80")
    assert problem.lost_seconds == pytest.approx(3 * 8e-6), "three launches of one target"
    assert answer.where(problem) == "copy_2d, 2 of 2 entries for cuda:90 and 1 other target"
    assert answer.heading(report, (problem,)) == "1 problem in 2 kernels"


def test_the_matrix_says_for_each_target_whether_it_compiles_how_long_it_takes_and_what_is_worst():
    bad, clean = samples.ordinary().kernels
    error = "a.py:4: CompilationError: at 2:8:\n  x\n  ^\nValueError: no such layout here at all, sorry"
    kernels = (
        for_target(bad, "cuda:90"),
        for_target(bad, "hip:gfx942", error=error),
        for_target(clean, "cuda:90", 20e-6),
    )
    (table,) = target_tables(Report(kernels))
    assert [column.title for column in table.columns] == ["kernel", "cuda:90", "hip:gfx942"]
    share = f" {bad.findings[0].cost:.0%}" if bad.findings[0].cost is not None else ""
    assert [[said(cell) for cell in row] for row in table.rows] == [
        ["copy_2d", f"30 µs, GI101{share}", "does not compile: no such layout here at all,…"],
        ["clean", "20 µs, clean", ""],
    ]


def test_two_versions_of_triton_are_two_columns_and_one_is_no_matrix():
    kernel = samples.ordinary().kernels[1]
    old = replace(kernel, kernel=replace(kernel.kernel, triton_version="3.6.0"))
    new = replace(kernel, kernel=replace(kernel.kernel, triton_version="3.9.0"))
    (table,) = target_tables(Report((old, new)))
    assert [column.title for column in table.columns[1:]] == ["cuda:90, Triton 3.6.0", "cuda:90, Triton 3.9.0"]
    assert said(table.rows[0][1]).startswith("time unknown, ")
    assert target_tables(Report((old, old))) == ()


def test_a_configuration_that_does_not_compile_is_counted_beside_those_that_do():
    kernel = samples.ordinary().kernels[1]
    kernels = (
        for_target(kernel, "cuda:90"),
        for_target(kernel, "cuda:90", error="no"),
        for_target(kernel, "cuda:80"),
    )
    (table,) = target_tables(Report(kernels))
    assert said(table.rows[0][1]) == "10 µs, clean, 1 of 2 not compiled"


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OUT_OF_SHARED, "shared memory: 294912 of 232448"),
        ("x.py:3: CompilationError: at 1:2:\n f\n ^\nAssertionError: Mask must be int1", "Mask must be int1"),
        ("a.py:9:5: error: 'tt.dot' op expects equal K\nnote: see", "'tt.dot' op expects equal K"),
        ("one two three four five six seven", "one two three four five six…"),
        ("w" * 100, "w" * 59 + "…"),
        ("ValueError", "ValueError"),
        ("\n ^ \n", "no reason given"),
    ],
)
def test_why_a_kernel_does_not_compile_in_six_words(error: str, why: str):
    assert in_six_words(error) == why


def test_markdown_of_one_large_kernel_still_says_what_is_wrong_with_it():
    kernel = samples.ordinary().kernels[0]
    message = "m" * 1000
    many = tuple(replace(kernel.findings[0], id=f"f{n}", subject=f"s{n}", message=message) for n in range(200))
    text = load_format("markdown").render(Report((replace(kernel, findings=many),)))
    assert len(text) <= 60_000
    assert "1 problem in 1 kernel" in text
    assert "<details><summary>🔴" in text
    assert "findings are left out here" in text
