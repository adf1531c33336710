"""One self-contained HTML file: no network, light and dark, sortable tables, source with marks."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from gluon_inspect.model.change import Change
from gluon_inspect.model.report import Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.report.html.elements import Html, joined, tag, text
from gluon_inspect.report.html.kernels import kernel_section
from gluon_inspect.report.html.tables import Cell, number, scalar, table, word
from gluon_inspect.wording.numbers import plural
from gluon_inspect.wording.verdict import tally, verdict

NAME = "html"
SUFFIX = ".html"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def render(report: Report, style: Style = PLAIN) -> str:  # noqa: ARG001 - a browser has its own width
    """The page: summary, changes, then a section a kernel."""
    title = f"gluon-inspect: {report.origin}" if report.origin else "gluon-inspect"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("title", text(title, 200)),
        tag("style", _asset("page.css")),
    )
    sections = (kernel_section(kernel, index, report.sources) for index, kernel in enumerate(report.kernels))
    body = tag("body", tag("main", *_summary(report), *sections), tag("script", _asset("page.js")))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _asset(name: str) -> Html:
    return Html(files(__name__).joinpath(name).read_text("utf-8"))


def _summary(report: Report) -> Iterator[Html]:
    findings = [finding for kernel in report.kernels for finding in kernel.findings]
    yield tag("h1", text(f"{tally(findings) or 'no findings'} in {plural(len(report.kernels), 'kernel')}"))
    yield tag("p", text(report.origin), class_="origin")
    if report.error is not None:
        where = f"{report.error.file}:{report.error.line}"
        yield tag("p", text(f"{where}: {report.error.told}"), class_="error")
    if report.comparison is not None:
        yield tag("h2", text(f"Changes against {report.comparison.baseline}"))
        yield _changes(report.comparison.changes)
    heads = ("kernel", "target", "launches", "level", "verdict")
    yield table(heads, (_row(report, index) for index in range(len(report.kernels))))
    yield joined(*(tag("p", text(note)) for note in report.notes))


def _row(report: Report, index: int) -> tuple[Cell, ...]:
    kernel = report.kernels[index]
    judged = verdict(kernel)
    link = tag("a", text(kernel.name, 200), href=f"#kernel-{index}")
    level = Cell(tag("span", text(judged.level), class_=judged.level), judged.level)
    return (
        Cell(link, kernel.name[:200]),
        word(kernel.kernel.target),
        number(kernel.launch.count),
        level,
        word(judged.text),
    )


def _changes(changes: tuple[Change, ...]) -> Html:
    if not changes:
        return tag("p", text("nothing changed"))
    words = {True: "better", False: "worse", None: "changed"}
    rows = (
        (
            word(words[change.better]),
            word(change.kernel),
            word(change.target),
            word(change.subject),
            scalar(change.before),
            scalar(change.after),
        )
        for change in changes
    )
    return table(("", "kernel", "target", "what", "before", "after"), rows)
