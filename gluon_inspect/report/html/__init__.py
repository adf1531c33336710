"""One self-contained HTML file: no network, light and dark, sortable tables, source with marks."""

from collections.abc import Iterator
from importlib.resources import files

from gluon_inspect.model.report import Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.report.html.answer import answer
from gluon_inspect.report.html.elements import Html, joined, tag, text
from gluon_inspect.report.html.kernels import kernel_section
from gluon_inspect.report.html.tables import table, titled
from gluon_inspect.tables.changes import comparison_tables
from gluon_inspect.tables.kernels import kernel_table
from gluon_inspect.tables.matrix import target_tables
from gluon_inspect.verdict.problems import problems
from gluon_inspect.wording import answer as words

NAME = "html"
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
    found = problems(report)
    yield tag("h1", text(words.heading(report, found) if report.kernels else "nothing was inspected"))
    yield tag("p", text(report.origin), class_="origin")
    if report.error is not None:
        where = f"{report.error.file}:{report.error.line}"
        yield tag("p", text(f"{where}: {report.error.told}"), class_="error")
    yield from (part for each in comparison_tables(report.comparison) for part in titled(each))
    yield from (part for each in target_tables(report) for part in titled(each))
    yield answer(report, found)
    yield table(kernel_table(report.kernels), [f"#kernel-{index}" for index in range(len(report.kernels))])
    yield joined(*(tag("p", text(note)) for note in report.notes))
