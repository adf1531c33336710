"""The answer of a report in words, the same for every drawer: what is wrong over all kernels, worst first."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import Replacement
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.verdict.problems import Occurrence, Problem, lost_together
from gluon_inspect.wording.characters import shortened
from gluon_inspect.wording.compile_errors import raised_at, reason
from gluon_inspect.wording.numbers import duration, percent, plural
from gluon_inspect.wording.places import short_path
from gluon_inspect.wording.verdict import verdict

MOST = 5
"""Problems in the answer: two lines each, so that it has twelve with what stands around them."""
_NAMES = 2
_LINES = 3
_CLAUSES = ("; ", ": ", ", ", " (")
_REASON_CHARACTERS = 90


def heading(report: Report, found: Sequence[Problem]) -> str:
    """How many problems, in how many kernels, and what they lose together of the time that all take."""
    shown = [problem for problem in found if problem.is_shown]
    kernels = plural(len(report.kernels), "kernel")
    unknown = sum(verdict(kernel).level == "unknown" for kernel in report.kernels)
    broken = sum(bool(kernel.kernel.error or kernel.unread) for kernel in report.kernels)
    rest = "".join(
        f"; {number} {what}"
        for number, what in ((broken, "not compiled or not read"), (unknown, "not wholly known"))
        if number
    )
    if not shown:
        return f"{kernels}: {'nothing was judged' if broken == len(report.kernels) else _NOTHING}{rest}"
    lost = lost_together(shown)
    price = f", {duration(lost)} of {duration(total)} lost" if lost and (total := _total(report)) else ""
    price = "" if len({kernel.kernel.target for kernel in report.kernels}) > 1 else price
    first = ", worst first" if len(shown) > 1 else ""
    return f"{plural(len(shown), 'problem')} in {kernels}{price}{first}{rest}"


_NOTHING = "nothing that is worth a change"


def _total(report: Report) -> float:
    made = [kernel for kernel in report.kernels if not kernel.launch.trial]
    return sum(kernel.cost.seconds * kernel.launch.count for kernel in made if kernel.cost is not None)


def what(problem: Problem) -> str:
    """The rule's name in words."""
    return problem.finding.name.replace("-", " ")


def where(problem: Problem) -> str:
    """The first kernels that have it, and in how many of their entries, where there are several."""
    names = problem.kernels
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    of = f", {len(problem.occurrences)} of {problem.entries} entries" if problem.entries > 1 else ""
    first, *others = problem.targets
    for_target = f" for {first} and {plural(len(others), 'other target')}" if others else ""
    return f"{', '.join(names[:_NAMES])}{more}{of}{for_target}"


def line_of(location: Location | None) -> str:
    """File and line without folders: the finding's own block has them."""
    return "unknown place" if location is None else f"{Path(location.author.file).name}:{location.author.line}"


def lines_of(problem: Problem) -> str:
    """`a.py:34, 32`: the file and the lines of its costliest occurrence, the first few of them."""
    first, *others = (each.location for each in (problem.finding, *problem.first.elsewhere))
    lines = [place.author.line for place in others if place is not None]
    own = None if first is None else first.author.line
    more = [str(line) for line in dict.fromkeys(lines) if line != own]
    rest = f" and {len(more) - _LINES} more" if len(more) > _LINES else ""
    return ", ".join((line_of(first), *more[:_LINES])) + rest


def price(problem: Problem) -> str:
    """What it loses over all launches and the share of its kernels' time; empty where nothing is predicted."""
    lost, share = problem.lost_seconds, problem.share
    if lost is None:
        return "" if share is None else percent(share)
    return f"{duration(lost)}, {percent(share)}"


def change(problem: Problem) -> str:
    """What to write instead, or what to do, or what is wrong where nobody knows that."""
    finding = problem.finding
    return written(finding.replacement) if finding.replacement else finding.help or finding.message


def written(replacement: Replacement) -> str:
    """The source in one line, and the time that it is expected to take."""
    return f"{'; '.join(replacement.source)}{gain(replacement)}"


def first_clauses(text: str, room: int) -> str:
    """As many of a text's clauses as fit the room, so that none ends in the middle; all of it where none fits."""
    if len(text) <= room:
        return text
    end = max(text.rfind(mark, 0, room) for mark in _CLAUSES)
    return text[:end] if end > room // 3 else text


def unknown_part(kernel: KernelReport) -> str:
    """Why a kernel without findings is not called clean, in short."""
    unknown = [each for each in kernel.accesses if each.confidence is Confidence.UNKNOWN]
    if not kernel.has_ir or not (unknown or kernel.problems):
        return verdict(kernel).text
    if not unknown:
        return f"not wholly known: {shortened(kernel.problems[0], _REASON_CHARACTERS)}"
    why = next((each.reason for each in unknown if each.reason), "")
    of = f"{len(unknown)} of {len(kernel.accesses)} accesses unknown"
    return f"{of}: {shortened(why, _REASON_CHARACTERS)}" if why else of


def gain(replacement: Replacement) -> str:
    """What a launch is expected to take with it; empty where no time is expected."""
    before, after = replacement.seconds_before, replacement.seconds_after
    return "" if before is None or after is None else f" ({duration(after)} instead of {duration(before)})"


def explain_command(report: Report, found: Occurrence) -> str:
    """The command that says why and tries what to write instead; empty where it cannot be named."""
    kernel, place = found.kernel, found.finding.location
    if not report.origin or ", " in report.origin or place is None:
        return ""
    several = len({each.name for each in report.kernels}) > 1
    name = f" --kernel {shlex.quote(kernel.name)}" if several else ""
    target = f" --target {kernel.kernel.target}" if report.origin.endswith(".py") else ""
    return (
        f"gluon-inspect explain {shlex.quote(short_path(report.origin))}{name} --line {place.author.line}{target}"
    )


@dataclass(frozen=True, slots=True)
class Failure:
    """A kernel that does not compile or could not be read, in `failed` of its `entries`, and why."""

    kernel: KernelReport
    failed: int
    entries: int

    @property
    def what(self) -> str:
        """ "does not compile", or that it is not read."""
        return "does not compile" if self.kernel.kernel.error else "is not read"

    @property
    def share(self) -> str:
        """In how many of the kernel's entries, where there are several."""
        return f", {self.failed} of {self.entries} entries" if self.entries > 1 else ""

    @property
    def why(self) -> str:
        """The reason in a sentence."""
        return reason(self.kernel.kernel.error or self.kernel.unread)

    @property
    def location(self) -> Location | None:
        """Where the compiler's message points, else where the kernel stands."""
        kernel = self.kernel.kernel
        own = Location(kernel.source_file, kernel.source_line) if kernel.source_file else None
        return raised_at(kernel.error) or own


def failures(report: Report) -> tuple[Failure, ...]:
    """Kernels of which some compilation failed, once for each reason."""
    groups: dict[tuple[str, str], list[KernelReport]] = {}
    for kernel in report.kernels:
        if kernel.kernel.error or kernel.unread:
            groups.setdefault((kernel.name, kernel.kernel.error or kernel.unread), []).append(kernel)
    entries = Counter(kernel.name for kernel in report.kernels)
    return tuple(Failure(own[0], len(own), entries[own[0].name]) for own in groups.values())


def left(found: Sequence[Problem], failed: int) -> str:
    """How many problems the answer does not name, beside `failed` failures; empty where it names all."""
    shown = sum(problem.is_shown for problem in found)
    more, small = max(0, failed + shown - MOST), len(found) - shown
    below = f"{more} more below" if more else ""
    little = f"{small} that cost next to nothing (--all)" if small else ""
    parts = ", ".join(filter(None, (below, little)))
    return f"and {parts}" if parts else ""
