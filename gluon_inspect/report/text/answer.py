"""The answer that a report begins with: what is wrong over all kernels, worst first, in at most twelve lines."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report.text.grid import hanging
from gluon_inspect.report.text.palette import DIM, GUTTER, LEVEL
from gluon_inspect.verdict.problems import Problem
from gluon_inspect.wording import answer as words
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import duration, plural
from gluon_inspect.wording.verdict import verdict

_NAMES_CHARACTERS = 100


def answer(report: Report, found: Sequence[Problem], width: int) -> Iterator[RenderableType]:
    """How many problems and what they lose, then the worst, each with its place, its price and the change."""
    shown, failed = [problem for problem in found if problem.is_shown], words.failures(report)
    yield Text(words.heading(report, found), "bold")
    for failure in failed[: words.MOST]:
        yield from _failure(failure, width)
    for problem in shown[: max(0, words.MOST - len(failed))]:
        yield from _problem(problem, width)
    if rest := words.left(found, len(failed)):
        yield Text(f"  {rest}; --details has the tables", DIM)


def _failure(failure: words.Failure, width: int) -> Iterator[RenderableType]:
    place = visible(words.line_of(failure.location))
    head = Text.assemble(
        ("error ", LEVEL["error"]), f"{place}  {visible(failure.kernel.name)} {failure.what}{failure.share}"
    )
    head.truncate(width, overflow="ellipsis")
    yield head
    yield _arrow(failure.why, width)


def _arrow(text: str, width: int) -> Text:
    told = Text(words.first_clauses(visible(text), width - 4))
    told.truncate(width - 4, overflow="ellipsis")
    return Text.assemble(("  → ", GUTTER), told)


def _problem(problem: Problem, width: int) -> Iterator[RenderableType]:
    finding, level, price = problem.finding, problem.severity.value, words.price(problem)
    head = Text.assemble(
        (f"{level}[{visible(finding.rule)}] ", LEVEL[level]),
        f"{visible(words.lines_of(problem))}  {visible(words.what(problem))}",
        f" in {visible(words.where(problem), _NAMES_CHARACTERS)}",
    )
    head.truncate(max(width - len(price) - 2, 20), overflow="ellipsis")
    yield Text.assemble(head, (f"  {price}", "bold"))
    yield _arrow(words.change(problem), width)


def one_line(kernels: Sequence[KernelReport], again: Sequence[Problem] = ()) -> RenderableType:
    """Entries of one kernel in one line: verdict, name, launches, expected times, and problems told above."""
    kernel = kernels[0]
    judged = verdict(kernel)
    grids = {"x".join(map(str, each.launch.grid)) if each.launch.grid else "grid unknown" for each in kernels}
    trials = sum(each.launch.trial for each in kernels)
    tried = f", {plural(trials, 'configuration')} only tried" if trials else ""
    grid = (grids.pop() if len(grids) == 1 else f"{len(kernels)} launches") + tried
    above = f"  has {', '.join(map(_short, again))}" if again else ""
    why = f"  {words.unknown_part(kernel)}" if judged.level == "unknown" else ""
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
    return f"{visible(problem.finding.rule)} at {visible(words.line_of(problem.location))}"
