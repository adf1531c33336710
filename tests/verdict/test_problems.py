"""Findings over kernels, launches and configurations as problems: one cause at one line, priced once."""

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.verdict.problems import Occurrence, Problem, lost_together, of_kernel, problems

COST = KernelCost(100e-6, Resource.DRAM, {Resource.DRAM: 100e-6}, (), Confidence.EXACT, ModelStatus.VALIDATED)
WARNING, NOTE, ERROR = Severity.WARNING, Severity.NOTE, Severity.ERROR


def finding(line: int, lost: float | None = 0.1, severity: Severity = WARNING, rule: str = "GI101") -> Finding:
    return Finding(
        f"{rule}-{line}",
        rule,
        "uncoalesced-access",
        severity,
        Confidence.EXACT,
        ModelStatus.VALIDATED,
        "message",
        Location("a.py", line),
        cost=lost,
        lost_seconds=None if lost is None else lost * COST.seconds,
    )


def kernel(*findings: Finding, name: str = "k", count: int = 1, trial: bool = False) -> KernelReport:
    launch = Launch("launch0", count, (1, 1, 1), trial=trial)
    return KernelReport(CompiledKernel(name, "cuda:90"), launch, findings=findings, cost=COST)


def report(*kernels: KernelReport) -> Report:
    return Report(kernels, "a.py", {}, ())


def test_one_line_in_three_launches_is_one_problem_whose_losses_add_up_by_how_often_each_is_made():
    (found,) = problems(report(kernel(finding(7)), kernel(finding(7), count=3), kernel()))
    assert len(found.occurrences) == 2
    assert found.entries == 3
    assert found.lost_seconds is not None
    assert abs(found.lost_seconds - 40e-6) < 1e-12
    assert found.share is not None
    assert abs(found.share - 0.1) < 1e-9


def test_what_the_tuner_only_tried_adds_no_loss_where_a_launch_was_made():
    (found,) = problems(report(kernel(finding(7, 0.5), trial=True), kernel(finding(7, 0.25))))
    assert (found.lost_seconds, found.share) == (25e-6, 0.25)
    (alone,) = problems(report(kernel(finding(7, 0.5), trial=True)))
    assert alone.lost_seconds == 50e-6


def test_other_rules_and_other_lines_are_other_problems_and_the_worst_stands_first():
    own = (finding(7, 0.1), finding(8, 0.3), finding(7, 0.2, rule="GI201"), finding(9, 0.05, ERROR))
    found = problems(report(kernel(*own)))
    assert [(each.finding.rule, each.location.line) for each in found if each.location] == [
        ("GI101", 9),
        ("GI101", 8),
        ("GI201", 7),
        ("GI101", 7),
    ]


def test_a_share_below_one_percent_is_counted_and_not_shown():
    own = (finding(1, 0.0099), finding(2, 0.01), finding(3, None), finding(4, None, NOTE), finding(5, 0.0, ERROR))
    found = problems(report(kernel(*own)))
    shown = {each.location.line: each.is_shown for each in found if each.location}
    assert shown == {1: False, 2: True, 3: True, 4: False, 5: True}


def test_each_entry_has_its_own_finding_of_a_problem():
    first, second = kernel(finding(7, 0.1)), kernel(finding(7, 0.4))
    ((_, own),) = of_kernel(problems(report(first, second)), first)
    assert own.finding.cost == 0.1


@given(st.lists(st.tuples(st.integers(1, 4), st.floats(0, 0.2), st.integers(1, 5)), min_size=1, max_size=8))
def test_no_loss_gets_lost_or_is_counted_twice(cases: list[tuple[int, float, int]]):
    kernels = [kernel(finding(line, lost), count=count) for line, lost, count in cases]
    whole = sum(lost * COST.seconds * count for _, lost, count in cases)
    found = problems(report(*kernels))
    assert abs(sum(each.lost_seconds or 0.0 for each in found) - whole) < 1e-12
    assert sum(len(each.occurrences) for each in found) == len(cases)


def test_a_finding_without_a_place_is_its_own_problem_in_each_kernel():
    homeless = replace(finding(1), location=None, subject="g0")
    assert len(problems(report(kernel(homeless, name="a"), kernel(homeless, name="b")))) == 2


def test_two_rules_of_a_family_about_one_access_are_one_problem():
    wide = replace(finding(7, 0.3), subject="g0")
    narrow = replace(finding(7, 0.3, rule="GI102"), subject="g0")
    (found,) = problems(report(kernel(wide, narrow)))
    assert (found.finding, found.first.also) == (wide, (narrow,))


def test_another_access_another_family_and_findings_of_no_access_stay_apart():
    wide = replace(finding(7, 0.3), subject="g0")
    others = (
        replace(finding(7, 0.1, rule="GI102"), subject="g1"),
        replace(finding(7, 0.1, rule="GI201"), subject="g0"),
        finding(7, 0.1, rule="GI103"),
    )
    assert len(problems(report(kernel(wide, *others)))) == 4


def advised(line: int, lost: float | None, help: str, rule: str = "GI101") -> Finding:
    return replace(finding(line, lost, rule=rule), help=help)


def test_places_of_a_kernel_that_one_change_mends_are_one_problem():
    (found,) = problems(report(kernel(advised(7, 0.1, "turn it"), advised(9, 0.3, "turn it"), count=2)))
    assert [each.location and each.location.line for each in (found.finding, *found.first.elsewhere)] == [9, 7]
    assert found.lost_seconds == 2 * 40e-6
    assert len(problems(report(kernel(advised(7, 0.1, "turn it"), advised(9, 0.3, "pad it"))))) == 2
    apart = (kernel(advised(7, 0.1, "turn it"), name="a"), kernel(advised(9, 0.1, "turn it"), name="b"))
    assert len(problems(report(*apart))) == 2
    other = replace(finding(9), rule="GI201", help="turn it")
    assert len(problems(report(kernel(advised(7, 0.1, "turn it"), other)))) == 2


def test_a_third_place_joins_two_problems():
    first, second = kernel(advised(7, 0.1, "one")), kernel(advised(8, 0.1, "two"))
    assert len(problems(report(first, second))) == 2
    both = kernel(advised(7, 0.1, "three"), advised(8, 0.1, "three"))
    (found,) = problems(report(first, second, both))
    assert len(found.occurrences) == 3


def test_a_rule_about_a_whole_kernel_is_one_problem_at_whatever_line_it_stands():
    spills = (finding(7, 0.1, rule="GI302"), finding(30, 0.1, rule="GI302"))
    (found,) = problems(report(*map(kernel, spills)))
    assert len(found.occurrences) == 2


def test_losses_above_the_launch_s_time_are_one_waiting_and_the_largest_counts():
    one = kernel(advised(7, 0.9, "tile it"), advised(8, 0.8, "tile it"), count=3)
    (found,) = problems(report(one))
    assert found.lost_seconds == 3 * 90e-6
    two = problems(report(kernel(finding(7, 0.9), finding(8, 0.8), count=3)))
    assert lost_together(two) == 3 * 90e-6
    assert lost_together(problems(report(kernel(finding(7, 0.2), finding(8, 0.3))))) == 50e-6
    assert lost_together(()) == 0.0


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from(("", "a", "b", "c"))), max_size=12))
def test_every_finding_stands_in_one_problem_and_those_with_a_line_or_an_advice_in_common_in_the_same(
    cases: list[tuple[int, str]],
):
    findings = [replace(advised(line, 0.01, help), id=str(number)) for number, (line, help) in enumerate(cases)]
    found = problems(report(*map(kernel, findings)))
    places = {each.finding.id: number for number, problem in enumerate(found) for each in problem.occurrences}
    assert len(places) == len(findings) == sum(len(problem.occurrences) for problem in found)
    for one in findings:
        for other in findings:
            if one.location == other.location or (one.help and one.help == other.help):
                assert places[one.id] == places[other.id]


class Counted(tuple[Occurrence, ...]):
    """Occurrences that count how often they are gone through."""

    walks = 0

    def __iter__(self) -> Iterator[Occurrence]:
        type(self).walks += 1
        return super().__iter__()


def test_what_a_problem_of_many_kernels_loses_is_found_without_a_walk_for_each():
    many = Counted(Occurrence(kernel(finding(1), name=f"k{number}"), finding(1)) for number in range(50))
    Counted.walks = 0
    assert len(Problem(many, 50).counted) == 50
    assert Counted.walks == 1
