"""`gluon-inspect passes`: timelines, blame, and where two compilations part."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gluon_inspect.errors import UsageError
from gluon_inspect.ir.operations import (
    ttg,
)
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport
from gluon_inspect.passes.blame import Blame, Wanted, blame
from gluon_inspect.passes.compared import Compared, compare, paired
from gluon_inspect.passes.inferred import Inferred, inferred_layouts
from gluon_inspect.passes.sightings import family_of
from gluon_inspect.passes.subjects import Subject, subjects

_SIDES = 2
ReportsOf = Callable[[Capture], Sequence[KernelReport]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What to show: `line` as [FILE:]N, `finding` an id or rule, `diff` a pass's number (None: none)."""

    line: str | None = None
    operation: str = ""
    finding: str | None = None
    diff: int | None = None
    everything: bool = False


@dataclass(frozen=True, slots=True)
class KernelAnswer:
    """One kernel: its passes, the layouts that the compiler chose, and what was followed (None: nothing)."""

    subject: Subject
    inferred: tuple[Inferred, ...] = ()
    followed: Blame | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Kernels one by one, or two sides compared; `alone` are kernels that only one side has."""

    kernels: tuple[KernelAnswer, ...] = ()
    compared: tuple[Compared, ...] = ()
    alone: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a compilation did not end well."""
        sides = (side for one in self.compared for side in (one.left, one.right))
        return any(subject.failed for subject in (*(kernel.subject for kernel in self.kernels), *sides))


def answer(captures: Sequence[Capture], asked: Asked, reports_of: ReportsOf = lambda _: ()) -> Answer:
    """Timelines and blame of one capture, or the comparison of two.

    `reports_of` gives the reports of a capture's kernels, where a finding is to be followed.
    Raises UsageError for more than two captures, and for a line, pass or finding that no kernel has.
    """
    if len(captures) > _SIDES:
        raise UsageError(
            f"passes compares two, {len(captures)} were given", hint="give one or two paths or targets"
        )
    sides = [tuple(subjects((capture,))) for capture in captures]
    if len(sides) == _SIDES:
        return _comparison(sides, asked)
    kernels = tuple(_kernel(subject, asked, reports_of) for subject in sides[0])
    _check(kernels, asked)
    return Answer(kernels)


def _comparison(sides: Sequence[tuple[Subject, ...]], asked: Asked) -> Answer:
    if asked.line or asked.operation or asked.finding or asked.diff is not None:
        raise UsageError("--line, --op, --finding and --diff follow one compilation, two were given")
    pairs, alone = paired(*sides)
    if not pairs:
        raise UsageError("the two have no kernel of the same name", hint=f"there are {', '.join(alone) or 'none'}")
    return Answer(compared=tuple(compare(left, right) for left, right in pairs), alone=tuple(alone))


def _kernel(subject: Subject, asked: Asked, reports_of: ReportsOf) -> KernelAnswer:
    if subject.timeline is None:
        return KernelAnswer(subject)
    wanted = _wanted(subject, asked, reports_of)
    return KernelAnswer(
        subject,
        inferred_layouts(subject.timeline, subject.target),
        None if wanted is None else blame(subject.timeline, wanted),
    )


def _wanted(subject: Subject, asked: Asked, reports_of: ReportsOf) -> Wanted | None:
    if asked.finding is None:
        return wanted_line(asked.line, asked.operation)
    alone = replace(subject.capture, kernels=(subject.kernel,))
    return wanted_finding(reports_of(alone), asked.finding)


def _check(kernels: Sequence[KernelAnswer], asked: Asked) -> None:
    """Says what was asked for in vain; a kernel that was not compiled has nothing to ask for."""
    timelines = [kernel.subject.timeline for kernel in kernels if kernel.subject.timeline is not None]
    if not timelines:
        return
    if asked.diff is not None and not any(0 <= asked.diff < len(one.compilation.runs) for one in timelines):
        raise UsageError(f"there is no pass {asked.diff}", hint="the numbers stand in the timeline")
    followed = [kernel.followed for kernel in kernels if kernel.followed is not None]
    if asked.finding is not None and not followed:
        raise UsageError(f"no kernel has a finding {asked.finding}", hint="gluon-inspect report lists them")
    if followed and not any(one.origin or one.steps for one in followed):
        raise UsageError(f"no pass has an operation {_named(followed[0].wanted)}", hint=_lines_hint(kernels))


def _named(wanted: Wanted) -> str:
    where = f" at line {wanted.line}" if wanted.line else ""
    file = f" of {wanted.file}" if wanted.file else ""
    return f"{wanted.operation}{where}{file}".strip()


def _lines_hint(kernels: Sequence[KernelAnswer]) -> str:
    finals = (kernel.subject.final() for kernel in kernels)
    places = (one.location for final in finals if final is not None for one in final.seen if one.family)
    lines = sorted({place.line for place in places if place is not None})
    return f"lines with loads, stores, dots or conversions: {', '.join(map(str, lines)) or 'none'}"


_LINE = re.compile(r"(?:(.*):)?(\d+)")


def wanted_line(line: str | None, operation: str) -> Wanted | None:
    """`[FILE:]N` and an operation's name, either of which may be missing; None without both.

    Raises UsageError for a line that is none.
    """
    if line is None:
        return Wanted(operation=operation) if operation else None
    found = _LINE.fullmatch(line)
    if found is None or not int(found[2]):
        raise UsageError(f"--line {line!r} is not [FILE:]N", hint="for example --line 24 or --line kernels.py:24")
    return Wanted(int(found[2]), found[1] or "", operation)


def wanted_finding(reports: Sequence[KernelReport], wanted: str) -> Wanted | None:
    """The place and the kind of operation that a finding is about; None if no report has it.

    `wanted` is a finding's id, its rule's code or its rule's name; of several the costliest is followed.
    Raises UsageError for a finding that has no place in the source.
    """
    for report in reports:
        for finding in report.findings:
            if wanted in (finding.id, finding.rule, finding.name):
                return _of_finding(report, finding)
    return None


def _of_finding(report: KernelReport, finding: Finding) -> Wanted:
    if finding.location is None:
        raise UsageError(f"finding {finding.id} has no place in the source to follow")
    access = next((access for access in report.accesses if access.id == finding.subject), None)
    conversion = next((one for one in report.conversions if one.id == finding.subject), None)
    name = access.op if access else ttg.CONVERT_LAYOUT.name if conversion else ""
    return Wanted(finding.location.line, finding.location.file, name if family_of(name) else "")
