"""Answers written: as text for a terminal, as Markdown, as JSON."""

from __future__ import annotations

from gluon_inspect.report import Style
from gluon_inspect.workflow.passes import Answer, Asked
from gluon_inspect.workflow.passes.as_json import as_json
from gluon_inspect.workflow.passes.pages import pages

FORMATS = ("text", "markdown", "json")


def written(answer: Answer, asked: Asked, form: str, style: Style) -> str:
    """The answer in one of FORMATS; `style` counts for text only."""
    match form:
        case "json":
            return as_json(answer, asked)
        case "markdown":
            from gluon_inspect.report._pages import page_as_markdown

            return page_as_markdown(pages(answer, asked))
        case _:
            from gluon_inspect.report.text.page import page_as_text

            return page_as_text(pages(answer, asked), style)
