"""The answer that every format begins with: the same problems, in the same words, from one place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.finding import Replacement
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import load_format
from gluon_inspect.tables.matrix import target_tables
from gluon_inspect.verdict.problems import problems, worst_first
from gluon_inspect.wording import answer
from gluon_inspect.wording.cells import said
from gluon_inspect.wording.compile_errors import excerpt, in_six_words
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
    text = text[text.index("1 problem in 2 kernels") :]
    assert answer.heading(report, found).startswith("1 problem in 2 kernels")
    parts = (found[0].finding.rule, answer.what(found[0]), answer.change(found[0]))
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_what_did_not_compile_is_not_called_free_of_problems():
    report = samples.broken()
    assert answer.heading(report, ()) == "1 kernel: nothing was judged; 1 not compiled or not read"


def test_what_does_not_compile_stands_first_with_its_place_and_reason():
    kernel, other = samples.ordinary().kernels
    error = "b.py:4: CompilationError: at 2:8:\n  x\n  ^\nNameError(\"no 'y' here\")"
    broken = [for_target(other, "cuda:90", error=error)] * 2
    report = Report((kernel, other, *broken), "b.py")
    (failure,) = answer.failures(report)
    assert (failure.what, failure.share) == ("does not compile", ", 2 of 3 entries")
    assert (answer.line_of(failure.location), failure.why) == ("b.py:4", "no 'y' here")
    text = load_format("text").render(report).splitlines()
    assert text[1] == "error b.py:4  clean does not compile, 2 of 3 entries"
    assert text[2] == "  → no 'y' here"


def test_only_the_lines_around_the_caret_of_a_compiler_s_message_are_told():
    told = [f"line {number}" for number in range(9)]
    error = ["a.py:1: CompilationError: at 9:1:", *told, "  ^", "NameError: why"]
    assert excerpt(error) == [error[0], *told[-2:], "  ^", error[-1], "(7 lines of source left out: --details)"]
    assert excerpt(["one", "two"]) == ["one", "two"]


def test_places_that_one_change_mends_are_told_once_with_the_change_and_the_command():
    report = samples.ordinary()
    kernel = report.kernels[0]
    written = Replacement("another layout", ("layout = L",), 10e-6, 5e-6)
    first = replace(kernel.findings[0], replacement=written, lost_seconds=4e-6)
    report = replace(report, kernels=(replace(kernel, findings=(first, kernel.findings[1])),))
    (found,) = problems(report)
    assert answer.lines_of(found) == "copy_2d.py:7, 8"
    assert answer.change(found) == "layout = L (5 µs instead of 10 µs)"
    lines = load_format("text").render(report).splitlines()
    assert "  = and at: copy_2d.py:8 (80%): gl.store(dst + offsets, value)" in lines
    assert "  = write: layout = L (5 µs instead of 10 µs)" in lines
    assert "  = more: gluon-inspect explain copy_2d.py --line 7 --target cuda:90" in lines
    assert sum("let lanes walk dimension 1" in line for line in lines) == 1
    markdown = load_format("markdown").render(report)
    assert "<code>layout = L (5 µs instead of 10 µs)</code>" in markdown


@pytest.mark.parametrize(
    ("origin", "names", "command"),
    [
        ("", 1, ""),
        ("a.py, b.py", 1, ""),
        ("a file.ttgir", 1, "gluon-inspect explain 'a file.ttgir' --line 7"),
        ("a.py", 2, "gluon-inspect explain a.py --kernel copy_2d --line 7 --target cuda:90"),
    ],
)
def test_the_command_that_explains_a_finding(origin: str, names: int, command: str):
    report = replace(samples.ordinary(), origin=origin, kernels=samples.ordinary().kernels[:names])
    (found,) = problems(report)
    assert answer.explain_command(report, found.first) == command


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
    many = tuple(
        replace(
            kernel.findings[0],
            id=f"f{n}",
            subject=f"s{n}",
            message=message,
            help=f"{n}",
            location=Location("a.py", n),
        )
        for n in range(200)
    )
    text = load_format("markdown").render(Report((replace(kernel, findings=many),)))
    assert len(text) <= 60_000
    assert "200 problems in 1 kernel" in text
    assert "<details><summary>🔴" in text
    assert "findings are left out here" in text


def test_entries_stand_worst_first_and_what_does_not_compile_before_them():
    bad, clean = samples.ordinary().kernels
    spill = replace(bad.findings[0], rule="GI302", cost=0.9, lost_seconds=9e-6)
    worst = replace(bad, kernel=replace(bad.kernel, name="worst"), findings=(spill,), cost=cost(10e-6))
    broken = for_target(replace(clean, kernel=replace(clean.kernel, name="broken")), "cuda:90", error="no")
    kernels = (clean, bad, broken, worst)
    ordered = worst_first(kernels, problems(Report(kernels)))
    assert [kernel.name for kernel in ordered] == ["broken", "worst", "copy_2d", "clean"]
    text = load_format("text").render(Report(kernels))
    places = [text.index(part) for part in ("━━ broken", "━━ worst", "━━ copy_2d", "clean: clean")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("room", "told"),
    [(60, "use more warps, or a smaller tile; the largest takes 512"), (40, "use more warps, or a smaller tile"),
     (20, "use more warps"), (6, "use more warps, or a smaller tile; the largest takes 512")],
)  # fmt: skip
def test_advice_that_is_too_long_ends_with_a_clause(room: int, told: str):
    assert answer.first_clauses("use more warps, or a smaller tile; the largest takes 512", room) == told


def test_what_is_unknown_of_a_kernel_is_said_in_a_line():
    bad, clean = samples.ordinary().kernels
    unknown = replace(bad, findings=(), problems=())
    assert answer.unknown_part(unknown) == "1 of 3 accesses unknown: the index comes from memory"
    contradicted = replace(clean, problems=("the IR says 64, the assembly 128",))
    assert answer.unknown_part(contradicted) == "not wholly known: the IR says 64, the assembly 128"
    nothing = replace(clean, accesses=())
    assert answer.unknown_part(nothing) == "no memory access was found, so nothing was judged"


def test_the_header_says_the_time_and_the_share_of_sectors_only_where_some_are_wasted():
    bad, clean = samples.ordinary().kernels
    wasted = load_format("text").render(Report((replace(bad, cost=cost(10e-6)),)))
    assert "   error: 10.0 µs expected, by DRAM; 12% of the global sectors moved were needed (1 of 2" in wasted
    fine = replace(bad, cost=cost(10e-6), accesses=clean.accesses)
    assert "   error: 10.0 µs expected, by DRAM\n" in load_format("text").render(Report((fine,)))
