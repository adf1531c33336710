"""The answer that the page begins with: the worst problems, each with its place, its price and the change."""

from collections.abc import Sequence

from gluon_inspect.model.report import Report
from gluon_inspect.report.html.elements import Html, joined, tag, text
from gluon_inspect.verdict.problems import Problem
from gluon_inspect.wording import answer as words


def answer(report: Report, found: Sequence[Problem]) -> Html:
    """A list, worst first, each with a link to the kernel that loses most; what it does not name below it."""
    indices = {id(kernel): index for index, kernel in enumerate(report.kernels)}
    shown = [problem for problem in found if problem.is_shown]
    failed = words.failures(report)
    most = max(0, words.MOST - len(failed))
    items = (
        *(_failure(failure, indices[id(failure.kernel)]) for failure in failed[: words.MOST]),
        *(_item(problem, indices[id(problem.first.kernel)]) for problem in shown[:most]),
    )
    rest = words.left(found, len(failed))
    return joined(
        tag("ol", *items, class_="answer") if items else Html(""), tag("p", text(rest)) if rest else Html("")
    )


def _failure(failure: words.Failure, index: int) -> Html:
    return tag(
        "li",
        tag("a", tag("code", text(words.line_of(failure.location))), href=f"#kernel-{index}"),
        text(f" {failure.kernel.name} "),
        tag("span", text(f"{failure.what}{failure.share}"), class_="error"),
        tag("p", text(failure.why), class_="help"),
    )


def _item(problem: Problem, index: int) -> Html:
    finding, price = problem.finding, words.price(problem)
    return tag(
        "li",
        tag("span", text(finding.rule), class_=problem.severity.value),
        text(f" {words.what(problem)} at "),
        tag("a", tag("code", text(words.lines_of(problem))), href=f"#kernel-{index}"),
        text(f" in {words.where(problem)}"),
        tag("strong", text(f": {price}")) if price else Html(""),
        tag("p", text(words.change(problem)), class_="help"),
    )
