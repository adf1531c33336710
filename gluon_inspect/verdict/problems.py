"""Findings of every kernel and launch of a report, gathered into problems: one cause, one thing to change.

A finding that stands in several launches, configurations or targets is one problem, and so are findings of one
rule and one advice in one kernel: one change mends them. What it loses is the sum over launches, since each is
run, but not over targets: nobody adds the times of two cards. A configuration that the tuner only tried is run by
nobody: where a launch that was really made has the problem, trials add nothing to its loss.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report

NOTHING = 0.01
"""Share of a kernel's expected time below which a loss is counted and not shown."""
UNSEEN_SECONDS = 0.25e-6
"""Half of what CUDA's events resolve: nobody can tell whether a smaller loss is gone."""
_FAMILY = 3
"""Characters of a rule's code that tell what it is about: GI1 global memory, GI2 shared memory …"""
_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
_WHOLE_KERNEL = frozenset({"GI302", "GI303", "GI304", "GI305", "GI306", "GI507"})
"""Rules that judge a kernel as a whole: they stand at the worst of many lines, another in each compilation."""
Cause = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One kernel and launch that has the problem: its finding, and what others say of the same access.

    `elsewhere`: findings of the same rule at other accesses of the kernel that the same change mends.
    """

    kernel: KernelReport
    finding: Finding
    also: tuple[Finding, ...] = ()
    elsewhere: tuple[Finding, ...] = ()

    @property
    def lost_seconds(self) -> float | None:
        """What its findings lose over all launches of this entry; None where nothing is predicted."""
        losses = [each.lost_seconds for each in (self.finding, *self.elsewhere) if each.lost_seconds is not None]
        return joint_loss(losses, self.kernel) * self.kernel.launch.count if losses else None


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
        known = [lost for each in self.counted if (lost := each.lost_seconds) is not None]
        return sum(known) if known else None

    @property
    def share(self) -> float | None:
        """The share of its kernels' expected time (0 to 1); None where nothing is predicted."""
        lost = self.lost_seconds
        costs = [(each.kernel.cost, each.kernel.launch.count) for each in self.counted]
        total = sum(cost.seconds * count for cost, count in costs if cost is not None)
        return lost / total if lost is not None and total else self.finding.cost

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that have it, that of its costliest occurrence first: what it loses is told of that one."""
        return tuple(dict.fromkeys(each.kernel.kernel.target for each in self.occurrences))

    @property
    def counted(self) -> Sequence[Occurrence]:
        """The occurrences whose losses add up: those of its first target, without trials where any was made."""
        target = self.first.kernel.kernel.target
        own = [each for each in self.occurrences if each.kernel.kernel.target == target]
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
        if share is None:
            return self.severity is not Severity.NOTE
        lost = self.lost_seconds
        return share >= NOTHING and (lost is None or lost >= UNSEEN_SECONDS)


def joint_loss(losses: Sequence[float], kernel: KernelReport) -> float:
    """What several findings of a launch lose together, in seconds.

    Losses that add up to more than the launch takes are one waiting, told several times: the largest counts.
    """
    whole = kernel.cost.seconds if kernel.cost is not None else 0.0
    return sum(losses) if sum(losses) <= whole else max(losses, default=0.0)


def lost_together(found: Iterable[Problem]) -> float:
    """Seconds that some problems lose over all launches that were made, each launch's never more than it takes."""
    entries: dict[int, list[Occurrence]] = {}
    for problem in found:
        for each in problem.counted:
            entries.setdefault(id(each.kernel), []).append(each)
    return sum(_lost(own) for own in entries.values())


def _lost(own: Sequence[Occurrence]) -> float:
    kernel = own[0].kernel
    return joint_loss([(each.lost_seconds or 0.0) / kernel.launch.count for each in own], kernel) * (
        kernel.launch.count
    )


def problems(report: Report) -> tuple[Problem, ...]:
    """Every problem of a report, worst first: by severity, then by what it loses."""
    groups = _groups(each for kernel in report.kernels for each in _joined(kernel))
    return tuple(sorted((_problem(group, report.kernels) for group in groups), key=_weight))


def of_kernel(found: Iterable[Problem], kernel: KernelReport) -> Iterator[tuple[Problem, Occurrence]]:
    """The problems that one entry of the report has, in their order, each with its costliest occurrence there."""
    for problem in found:
        own = next((each for each in problem.occurrences if each.kernel is kernel), None)
        if own is not None:
            yield problem, own


def worst_first(kernels: Iterable[KernelReport], found: Sequence[Problem]) -> list[KernelReport]:
    """What could not be compiled or read, then by the worst problem shown that an entry has, then as given."""
    shown = [problem for problem in found if problem.is_shown]
    ranks: dict[int, int] = {}
    for place, problem in enumerate(shown):
        for each in problem.occurrences:
            ranks.setdefault(id(each.kernel), place)

    def rank(kernel: KernelReport) -> int:
        return -1 if kernel.kernel.error or kernel.unread else ranks.get(id(kernel), len(shown))

    return sorted(kernels, key=rank)


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


def _groups(found: Iterable[Occurrence]) -> Iterable[list[Occurrence]]:
    """Occurrences that share a cause, be it by way of a third."""
    groups: dict[Cause, list[Occurrence]] = {}
    for each in found:
        causes = tuple(_causes(each.kernel, each.finding))
        first, *others = (
            {id(group): group for cause in causes if (group := groups.get(cause))} or {0: []}
        ).values()
        first.append(each)
        for other in others:
            first += other
            groups.update((cause, first) for cause, group in groups.items() if group is other)
        groups.update(dict.fromkeys(causes, first))
    return {id(group): group for group in groups.values()}.values()


def _causes(kernel: KernelReport, finding: Finding) -> Iterator[Cause]:
    """What makes two findings one: the rule at the author's line, and its advice in a kernel.

    Whatever the slice, launch or configuration; of rules about a whole kernel, whatever the line.
    """
    place = finding.location.author if finding.location else None
    own = (kernel.name, kernel.kernel.source_file)
    yield (
        ("place", finding.rule, place.file, str(place.line))
        if place
        else ("", finding.rule, *own, finding.subject)
    )
    if finding.help:
        yield ("advice", finding.rule, *own, finding.help)
    if finding.rule in _WHOLE_KERNEL:
        yield ("kernel", finding.rule, *own)


def _problem(group: Sequence[Occurrence], kernels: Sequence[KernelReport]) -> Problem:
    names = {(each.kernel.name, each.kernel.kernel.target) for each in group}
    entries = sum((kernel.name, kernel.kernel.target) in names for kernel in kernels)
    own: dict[int, list[Occurrence]] = {}
    for each in sorted(group, key=_dearest):
        own.setdefault(id(each.kernel), []).append(each)
    return Problem(tuple(sorted(map(_one, own.values()), key=_dearest)), entries)


def _one(own: Sequence[Occurrence]) -> Occurrence:
    """What one entry of the report has of a problem, its costliest finding first."""
    first, *others = own
    return replace(first, elsewhere=tuple(each.finding for each in others))


def _dearest(each: Occurrence) -> tuple[int, float]:
    return _ORDER.index(each.finding.severity), -(each.lost_seconds or 0.0)


def _weight(problem: Problem) -> tuple[int, float, str, str, int]:
    place = problem.location.author if problem.location else Location("", 0)
    lost = -(problem.lost_seconds or 0.0)
    return (_ORDER.index(problem.severity), lost, problem.finding.rule, place.file, place.line)
