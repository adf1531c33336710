from __future__ import annotations

from dataclasses import replace
from typing import Any

from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, PassEntry, Registers, Report
from gluon_inspect.project.comparison import compared
from gluon_inspect.project.gate import parse_gate
from gluon_inspect.report.json import document
from tests.report import samples


def against(head: Report, base: Report) -> Report:
    return compared(head, document(base), "base.json")


def first(report: Report, **changes: Any) -> Report:
    return replace(report, kernels=(replace(report.kernels[0], **changes), *report.kernels[1:]))


def slower(kernel: KernelReport) -> KernelReport:
    access = replace(kernel.accesses[0], sectors=2 * (kernel.accesses[0].sectors or 0))
    return replace(kernel, accesses=(access, *kernel.accesses[1:]))


def test_nothing_changed_fails_nothing_whatever_the_findings():
    report = against(samples.ordinary(), samples.ordinary())
    assert report.comparison is not None
    assert report.comparison.changes == ()
    assert parse_gate("note").exit_code(report) == 0


def test_a_new_finding_fails_and_a_gone_one_does_not():
    clean = first(samples.ordinary(), findings=())
    worse, better = against(samples.ordinary(), clean), against(clean, samples.ordinary())
    assert parse_gate("error").exit_code(worse) == 1
    assert parse_gate("note").exit_code(better) == 0
    assert worse.comparison is not None
    assert better.comparison is not None
    assert {change.better for change in worse.comparison.changes} == {False}
    assert {change.better for change in better.comparison.changes} == {True}


def test_a_finding_whose_access_moves_more_fails():
    base = samples.ordinary()
    head = replace(base, kernels=(slower(base.kernels[0]), base.kernels[1]))
    assert parse_gate("error").exit_code(against(head, base)) == 1
    assert parse_gate("error").exit_code(against(base, head)) == 0


def test_changes_name_what_changed_before_and_after():
    base = samples.ordinary()
    head = first(base, registers=Registers(80, 0), instructions_static={"LDG.E.128": 4, "LDG.E": 9})
    report = against(head, base)
    assert report.comparison is not None
    shown = {(change.subject, change.before, change.after, change.better) for change in report.comparison.changes}
    assert shown == {
        ("registers a thread", 40, 80, False),
        ("LDG.E instructions", None, 9, None),
        ("STG.E.128 instructions", 4, None, None),
    }


def test_unknown_is_neither_better_nor_worse():
    base = samples.ordinary()
    report = against(first(base, shared_bytes=None), base)
    assert report.comparison is not None
    assert [(change.before, change.after, change.better) for change in report.comparison.changes] == [
        (16384, None, None)
    ]


def test_kernels_are_matched_whatever_moved_in_the_file():
    base = samples.ordinary()
    moved = tuple(
        replace(
            kernel,
            kernel=replace(kernel.kernel, source_line=99),
            accesses=tuple(replace(a, location=Location("copy_2d.py", 100)) for a in kernel.accesses),
        )
        for kernel in reversed(base.kernels)
    )
    report = against(replace(base, kernels=moved), base)
    assert report.comparison is not None
    assert report.comparison.changes == ()


def test_a_changed_constant_still_finds_its_kernel():
    base = samples.ordinary()
    wide = replace(base.kernels[0].kernel, constexprs={"layout": "wide"})
    report = against(first(base, kernel=wide), base)
    assert report.comparison is not None
    assert report.comparison.changes == ()


def test_kernels_that_came_and_went_are_said():
    base = samples.ordinary()
    report = against(replace(base, kernels=base.kernels[1:]), base)
    assert report.comparison is not None
    assert [(c.kernel, c.before, c.after) for c in report.comparison.changes] == [("copy_2d", "present", "absent")]


def test_passes_that_changed_the_ir_on_one_side_alone_are_named():
    def passes(*names: str) -> tuple[PassEntry, ...]:
        return tuple(PassEntry(index, name, True) for index, name in enumerate(names))

    base = first(samples.ordinary(), passes=passes("coalesce", "pipeline", "prefetch"))
    head = first(samples.ordinary(), passes=passes("coalesce", "pipeline", "pipeline"))
    found = against(head, base).comparison
    assert found is not None
    assert [(change.subject, change.before, change.after) for change in found.changes] == [
        ("passes that changed the IR", "prefetch", "pipeline")
    ]
    assert against(base, base).comparison == replace(found, changes=())


def test_passes_of_which_nothing_is_known_are_not_compared():
    unknown = first(samples.ordinary(), passes=(PassEntry(0, "coalesce", None),))
    found = against(unknown, samples.ordinary()).comparison
    assert found is not None
    assert found.changes == ()


def launched(report: Report, count: int) -> Report:
    return first(report, launch=replace(report.kernels[0].launch, count=count))


def test_a_second_instance_of_an_accepted_launch_fails():
    once, twice = launched(samples.ordinary(), 1), launched(samples.ordinary(), 2)
    more, fewer = against(twice, once), against(once, twice)
    assert parse_gate("error").exit_code(more) == 1
    assert parse_gate("error").exit_code(fewer) == 0
    assert more.comparison is not None
    (change,) = more.comparison.changes
    assert (change.subject, change.before, change.after, change.better) == (
        "launches with these arguments",
        1,
        2,
        False,
    )


def test_a_good_launch_that_turns_into_an_accepted_one_fails():
    base = samples.ordinary()
    good = replace(base.kernels[0], launch=replace(base.kernels[0].launch, grid=(7, 1, 1)), findings=())
    bad = launched(base, 2)
    found = against(bad, replace(base, kernels=(good, *launched(base, 1).kernels)))
    assert parse_gate("error").exit_code(found) == 1
    assert found.comparison is not None
    assert found.comparison.vanished == (f"{good.name} for {good.kernel.target}",)


def test_a_renamed_file_changes_nothing():
    base = samples.ordinary()
    moved = replace(base.kernels[0], kernel=replace(base.kernels[0].kernel, source_file="elsewhere.py"))
    assert parse_gate("note").exit_code(against(replace(base, kernels=(moved, *base.kernels[1:])), base)) == 0
