"""`gluon-inspect report`: what each access costs, as text or in any other format."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from gluon_inspect.commands._options import add_input_arguments, request

NAME = "report"
HELP = "say what each kernel's layouts and accesses cost"


def add_arguments(parser: ArgumentParser) -> None:
    """Input options, then where and how the report goes, then the gate."""
    add_input_arguments(parser)
    parser.add_argument(
        "--format",
        action="append",
        metavar="NAME[=FILE]",
        help="text (default), json, markdown, sarif, junit, github, html; repeatable, each with its own file",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where the format without a file of its own goes")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes to work in (default 1)")
    parser.add_argument("--baseline", metavar="FILE", help="a JSON report; only what got worse fails")
    parser.add_argument(
        "--fail-on",
        default="error",
        metavar="LEVEL|RULE,…",
        help="error (default), warning, note, never, or rules",
    )


def run(arguments: Namespace) -> int:
    """Inspect, write every format, and answer the gate."""
    from gluon_inspect.commands._output import progress, show_problems, writers
    from gluon_inspect.workflow.gate import BROKEN, parse_gate
    from gluon_inspect.workflow.inspection import inspect_all

    outputs = writers(_formats(arguments.format), arguments.output)
    gate = parse_gate(arguments.fail_on)
    with progress() as tell:
        outcome = inspect_all(request(arguments), tell, arguments.jobs)
        report = outcome.report()
    for write in outputs:
        write(report)
    show_problems(report, outcome.failures)
    return BROKEN if outcome.failures else gate.exit_code(report)


def _formats(given: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(given or ("text",))
