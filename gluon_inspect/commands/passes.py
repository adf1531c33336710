"""`gluon-inspect passes`: which pass brought each layout, each conversion and each vector width."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from gluon_inspect.commands._options import add_input_arguments, request

if TYPE_CHECKING:
    from gluon_inspect.model.artifact import Capture
    from gluon_inspect.model.report import KernelReport
    from gluon_inspect.model.request import Request, Tell
    from gluon_inspect.passes.answer import Answer, Asked
    from gluon_inspect.report import Style

NAME = "passes"
HELP = "what each compiler pass did, and which one is to blame"
EXAMPLES = """
gluon-inspect passes kernels.py --line 24            which pass chose this line's layout
gluon-inspect passes kernels.py --diff 12            what the twelfth pass changed
"""
_FAILED = 2


def add_arguments(parser: ArgumentParser) -> None:
    """Input options (two paths or targets are compared), then what to follow and how to write it."""
    add_input_arguments(parser)
    parser.add_argument("--line", metavar="[FILE:]N", help="follow the operations of this source line")
    parser.add_argument(
        "--op",
        default="",
        metavar="NAME",
        help="follow operations of this kind, e.g. tt.load; with --line only there",
    )
    parser.add_argument(
        "--finding", metavar="ID", help="follow what a finding is about (its id, rule code or name)"
    )
    parser.add_argument("--diff", type=int, metavar="N", help="show what pass N changed")
    parser.add_argument("--all", action="store_true", help="also list the passes that changed nothing")
    parser.add_argument(
        "--format", choices=("text", "markdown", "json"), default="text", help="how it is written (default text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where it goes (default: standard output)")


def run(arguments: Namespace) -> int:
    """Record or read, then answer. Exit code 2 if a compilation or the script failed; the answer stands."""
    from gluon_inspect.commands._output import progress, say_script_error, terminal_style, write_text
    from gluon_inspect.passes.answer import Asked, answer
    from gluon_inspect.report import PLAIN

    asked = Asked(arguments.line, arguments.op, arguments.finding, arguments.diff, arguments.all)
    with progress() as tell:
        found = _captures(request(arguments), tell)
        answered = answer(found, asked, _reports_of)
        style = terminal_style() if arguments.output is None else PLAIN
        text = written(answered, asked, arguments.format, style)
    write_text(text, arguments.output)
    errors = [capture.error for capture in found if capture.error is not None]
    for error in errors:
        say_script_error(error)
    return _FAILED if errors or answered.failed else 0


def _captures(asked: Request, tell: Tell) -> tuple[Capture, ...]:
    """The captures of every path for every target."""
    from gluon_inspect.workflow.inspection import capture_one

    return tuple(
        capture_one(replace(asked, paths=(path,), targets=(target,) if target else ()), tell)
        for path in asked.paths
        for target in asked.targets or ("",)
    )


def _reports_of(capture: Capture) -> tuple[KernelReport, ...]:
    from gluon_inspect.pipeline import inspect

    return inspect(capture).kernels


def written(answered: Answer, asked: Asked, form: str, style: Style) -> str:
    """The answer as "text", "markdown" or "json"; `style` counts for text only."""
    if form == "json":
        from gluon_inspect.passes.as_json import as_json

        return as_json(answered, asked)
    from gluon_inspect.passes.pages import pages

    if form == "markdown":
        from gluon_inspect.wording.markdown import page_as_markdown

        return page_as_markdown(pages(answered, asked))
    from gluon_inspect.report.text.page import page_as_text

    return page_as_text(pages(answered, asked), style)
