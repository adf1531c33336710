"""The answer that a report begins with: what is wrong over all kernels, worst first, in at most twelve lines."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report.text.grid import hanging
from gluon_inspect.report.text.palette import DIM, GUTTER, LEVEL
from gluon_inspect.verdict.problems import Problem
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import duration, percent, plural
from gluon_inspect.wording.verdict import verdict

_MOST = 5
"""Problems of two lines each: with what stands around them, twelve lines."""
_NAMES = 2


def answer(report: Report, found: Sequence[Problem], width: int) -> Iterator[RenderableType]:
    """How many problems and what they lose, then the worst, each with its place, its price and the change."""
    shown = [problem for problem in found if problem.is_shown]
    yield Text(_heading(report, shown), "bold")
    for problem in shown[:_MOST]:
        yield from _problem(problem, width)
    left = [*shown[_MOST:], *(problem for problem in found if not problem.is_shown)]
    if left:
        yield Text(_left(shown, found), DIM)


def _heading(report: Report, shown: Sequence[Problem]) -> str:
    kernels = plural(len(report.kernels), "kernel")
    judged = [verdict(kernel).level for kernel in report.kernels]
    unknown = judged.count("unknown")
    rest = f"; {unknown} not wholly known" if unknown else ""
    if not shown:
        return f"{kernels}: nothing that is worth a change{rest}"
    lost = sum(problem.lost_seconds or 0.0 for problem in shown)
    price = f", {duration(lost)} of {duration(total)} lost" if lost and (total := _total(report)) else ""
    first = ", worst first" if len(shown) > 1 else ""
    return f"{plural(len(shown), 'problem')} in {kernels}{price}{first}{rest}"


def _total(report: Report) -> float:
    made = [kernel for kernel in report.kernels if not kernel.launch.trial]
    return sum(kernel.cost.seconds * kernel.launch.count for kernel in made if kernel.cost is not None)


def _problem(problem: Problem, width: int) -> Iterator[RenderableType]:
    finding, level = problem.finding, problem.severity.value
    head = Text.assemble(
        (f"{level}[{visible(finding.rule)}] ", LEVEL[level]),
        f"{visible(_place(problem.location))}  {visible(finding.name).replace('-', ' ')}{_in(problem)}",
    )
    head.truncate(max(width - len(_price(problem)) - 2, 20), overflow="ellipsis")
    yield Text.assemble(head, (f"  {_price(problem)}", "bold"))
    change = Text(visible(finding.help or finding.message))
    change.truncate(width - 4, overflow="ellipsis")
    yield Text.assemble(("  → ", GUTTER), change)


def _in(problem: Problem) -> str:
    names = problem.kernels
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    of = f", {len(problem.occurrences)} of {problem.entries} entries" if problem.entries > 1 else ""
    return f" in {', '.join(visible(name, 40) for name in names[:_NAMES])}{more}{of}"


def _place(location: Location | None) -> str:
    """File and line without folders: the finding's own block has them."""
    return "unknown place" if location is None else f"{Path(location.author.file).name}:{location.author.line}"


def _price(problem: Problem) -> str:
    lost, share = problem.lost_seconds, problem.share
    if lost is None:
        return "" if share is None else percent(share)
    return f"{duration(lost)}, {percent(share)}"


def _left(shown: Sequence[Problem], found: Sequence[Problem]) -> str:
    more, small = max(0, len(shown) - _MOST), len(found) - len(shown)
    below = f"{more} more below" if more else ""
    little = f"{small} that cost next to nothing (--all)" if small else ""
    return f"  and {', '.join(filter(None, (below, little)))}; --details has the tables"


def one_line(kernels: Sequence[KernelReport], again: Sequence[Problem] = ()) -> RenderableType:
    """Entries of one kernel in one line: verdict, name, launches, expected times, and problems told above."""
    kernel = kernels[0]
    judged = verdict(kernel)
    grids = {"x".join(map(str, each.launch.grid)) if each.launch.grid else "grid unknown" for each in kernels}
    trials = sum(each.launch.trial for each in kernels)
    tried = f", {plural(trials, 'configuration')} only tried" if trials else ""
    grid = (grids.pop() if len(grids) == 1 else f"{len(kernels)} launches") + tried
    above = f"  has {', '.join(map(_short, again))}" if again else ""
    why = f"  {judged.text}" if judged.level == "unknown" else ""
    head = Text.assemble((f"{judged.level}: ", LEVEL[judged.level]), f"{visible(kernel.name, 60)}  ")
    return hanging(
        head, Text(f"{visible(kernel.kernel.target, 60)}  {grid}{_times(kernels)}{above}{visible(why)}", DIM)
    )


def _times(kernels: Sequence[KernelReport]) -> str:
    """The expected time and what limits it; of several the range."""
    costs = sorted((each.cost for each in kernels if each.cost is not None), key=lambda cost: cost.seconds)
    if not costs:
        return ""
    least, most = duration(costs[0].seconds), duration(costs[-1].seconds)
    limits = ", ".join(dict.fromkeys(cost.limiting.value for cost in costs))
    return f"  {least if least == most else f'{least} to {most}'} by {limits}"


def repeated(again: Sequence[Problem]) -> Iterator[RenderableType]:
    """What an entry has that was drawn at an earlier one, in a line."""
    if again:
        yield Text(f"   as above: {', '.join(map(_short, again))}", DIM)


def _short(problem: Problem) -> str:
    return f"{visible(problem.finding.rule)} at {visible(_place(problem.location))}"
