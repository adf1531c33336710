"""Findings of every kernel and launch of a report, gathered into problems: one cause at one line of the author's.

A finding that stands in several launches, configurations or targets is one problem; what it loses is the sum over
launches, since each is run, but not over targets: nobody adds the times of two cards. A configuration that the
tuner only tried is run by nobody: where a launch that was really made has the problem, trials add nothing to its
loss.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report

NOTHING = 0.01
"""Share of a kernel's expected time below which a loss is counted and not shown."""
_FAMILY = 3
"""Characters of a rule's code that tell what it is about: GI1 global memory, GI2 shared memory …"""
_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One kernel and launch that has the problem: its finding, and what others say of the same access."""

    kernel: KernelReport
    finding: Finding
    also: tuple[Finding, ...] = ()

    @property
    def lost_seconds(self) -> float | None:
        """What the finding loses over all launches of this entry; None where nothing is predicted."""
        lost = self.finding.lost_seconds
        return None if lost is None else lost * self.kernel.launch.count


@dataclass(frozen=True, slots=True)
class Problem:
    """One cause at one place. `first` is its costliest occurrence, whose message and change speak for all.

    `entries`: how many entries of the report are compilations or launches of the same kernels, with or without it.
    """

    occurrences: tuple[Occurrence, ...]
    entries: int

    @property
    def first(self) -> Occurrence:
        """The costliest occurrence."""
        return self.occurrences[0]

    @property
    def finding(self) -> Finding:
        """The finding that speaks for all."""
        return self.first.finding

    @property
    def severity(self) -> Severity:
        """The highest of its occurrences."""
        return min((each.finding.severity for each in self.occurrences), key=_ORDER.index)

    @property
    def location(self) -> Location | None:
        """The author's place."""
        return self.finding.location

    @property
    def lost_seconds(self) -> float | None:
        """Seconds lost over all launches that were made for its first target; None where nothing is predicted."""
        known = [lost for each in self._counted() if (lost := each.lost_seconds) is not None]
        return sum(known) if known else None

    @property
    def share(self) -> float | None:
        """The share of its kernels' expected time (0 to 1); None where nothing is predicted."""
        lost = self.lost_seconds
        costs = [(each.kernel.cost, each.kernel.launch.count) for each in self._counted()]
        total = sum(cost.seconds * count for cost, count in costs if cost is not None)
        return lost / total if lost is not None and total else self.finding.cost

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that have it, that of its costliest occurrence first: what it loses is told of that one."""
        return tuple(dict.fromkeys(each.kernel.kernel.target for each in self.occurrences))

    def _counted(self) -> Sequence[Occurrence]:
        own = [each for each in self.occurrences if each.kernel.kernel.target == self.targets[0]]
        return [each for each in own if not each.kernel.launch.trial] or own

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels that have it, in order, each once."""
        return tuple(dict.fromkeys(each.kernel.name for each in self.occurrences))

    @property
    def is_shown(self) -> bool:
        """Whether it is worth a line: what it loses counts, or its loss is not predicted and it is no note."""
        if self.severity is Severity.ERROR:
            return True
        share = self.share
        return self.severity is not Severity.NOTE if share is None else share >= NOTHING


def problems(report: Report) -> tuple[Problem, ...]:
    """Every problem of a report, worst first: by severity, then by what it loses."""
    groups: dict[tuple[object, ...], list[Occurrence]] = {}
    for kernel in report.kernels:
        for each in _joined(kernel):
            groups.setdefault(_cause(kernel, each.finding), []).append(each)
    found = (_problem(group, report.kernels) for group in groups.values())
    return tuple(sorted(found, key=_weight))


def of_kernel(found: Iterable[Problem], kernel: KernelReport) -> Iterator[tuple[Problem, Occurrence]]:
    """The problems that one entry of the report has, in their order, each with its costliest occurrence there."""
    for problem in found:
        own = next((each for each in problem.occurrences if each.kernel is kernel), None)
        if own is not None:
            yield problem, own


def _joined(kernel: KernelReport) -> Iterator[Occurrence]:
    """Findings of one family of rules about one access are one: the costliest speaks, the others stand below it.

    A pattern that moves too many sectors since its instructions are narrow is one cause, whichever rule saw it.
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in kernel.findings:
        key = (finding.rule[:_FAMILY], finding.subject) if finding.subject else (finding.id, "")
        groups.setdefault(key, []).append(finding)
    for first, *also in groups.values():
        yield Occurrence(kernel, first, tuple(also))


def _cause(kernel: KernelReport, finding: Finding) -> tuple[object, ...]:
    """What makes two findings one: the rule at the author's line, whatever slice, launch or configuration."""
    place = finding.location.author if finding.location else None
    where = (place.file, place.line) if place else (kernel.name, finding.subject)
    return (finding.rule, *where)


def _problem(group: list[Occurrence], kernels: Sequence[KernelReport]) -> Problem:
    names = {(each.kernel.name, each.kernel.kernel.target) for each in group}
    entries = sum((kernel.name, kernel.kernel.target) in names for kernel in kernels)
    group.sort(key=lambda each: (_ORDER.index(each.finding.severity), -(each.lost_seconds or 0.0)))
    return Problem(tuple(group), entries)


def _weight(problem: Problem) -> tuple[int, float, str, str, int]:
    place = problem.location.author if problem.location else Location("", 0)
    lost = -(problem.lost_seconds or 0.0)
    return (_ORDER.index(problem.severity), lost, problem.finding.rule, place.file, place.line)
