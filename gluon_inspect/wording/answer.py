"""The answer of a report in words, the same for every drawer: what is wrong over all kernels, worst first."""

from collections.abc import Sequence
from pathlib import Path

from gluon_inspect.model.location import Location
from gluon_inspect.model.report import Report
from gluon_inspect.verdict.problems import Problem
from gluon_inspect.wording.numbers import duration, percent, plural
from gluon_inspect.wording.verdict import verdict

MOST = 5
"""Problems in the answer: two lines each, so that it has twelve with what stands around them."""
_NAMES = 2


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
    lost = sum(problem.lost_seconds or 0.0 for problem in shown)
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


def price(problem: Problem) -> str:
    """What it loses over all launches and the share of its kernels' time; empty where nothing is predicted."""
    lost, share = problem.lost_seconds, problem.share
    if lost is None:
        return "" if share is None else percent(share)
    return f"{duration(lost)}, {percent(share)}"


def change(problem: Problem) -> str:
    """What to write instead, or what is wrong where nobody knows that."""
    return problem.finding.help or problem.finding.message


def left(found: Sequence[Problem]) -> str:
    """How many problems the answer does not name; empty where it names all."""
    shown = sum(problem.is_shown for problem in found)
    more, small = max(0, shown - MOST), len(found) - shown
    below = f"{more} more below" if more else ""
    little = f"{small} that cost next to nothing (--all)" if small else ""
    parts = ", ".join(filter(None, (below, little)))
    return f"and {parts}" if parts else ""
