"""One line a problem, for editors and grep: place, severity, rule, what it loses and what it says."""

from gluon_inspect.model.report import Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.verdict.problems import Problem, problems
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import duration, percent
from gluon_inspect.wording.places import place

NAME = "concise"


def render(report: Report, style: Style = PLAIN) -> str:
    """`file:line:column: severity[rule] kernel, loss: message`, worst first; nothing where nothing was found."""
    shown = [problem for problem in problems(report) if style.everything or problem.is_shown]
    return "".join(f"{_line(problem)}\n" for problem in shown)


def _line(problem: Problem) -> str:
    finding = problem.finding
    lost = problem.lost_seconds
    price = "" if lost is None else f", {duration(lost)} ({percent(problem.share)})"
    head = f"{visible(place(problem.location))}: {problem.severity.value}[{visible(finding.rule)}]"
    return f"{head} {', '.join(map(visible, problem.kernels))}{price}: {visible(finding.message)}"
