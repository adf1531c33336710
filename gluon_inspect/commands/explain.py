"""`gluon-inspect explain`: why a layout is slow, what to write instead, what that buys."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gluon_inspect.commands._options import add_input_arguments, request

NAME = "explain"
HELP = "why a kernel's layouts are slow and what to write instead"


def add_arguments(parser: ArgumentParser) -> None:
    """Input options, then what to explain and how."""
    add_input_arguments(parser)
    parser.add_argument("--finding", metavar="ID", help="only this finding, rule code or rule name")
    parser.add_argument("--line", type=int, metavar="N", help="only findings at this line")
    parser.add_argument(
        "--try",
        dest="trial",
        action="store_true",
        help="compile the best proposal in place of a constexpr layout and inspect it",
    )
    parser.add_argument(
        "--measure",
        action="store_true",
        help="time the kernel and its best proposal on this machine's GPU (tries the proposal as well)",
    )
    parser.add_argument(
        "--format", choices=("text", "markdown", "json"), default="text", help="how it is written (default text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where it goes (default: standard output)")


def run(arguments: Namespace) -> int:
    """Inspect, then explain every kernel asked for. Exit code 2 if some input could not be read."""
    from dataclasses import replace

    from gluon_inspect.commands._output import progress, show_problems
    from gluon_inspect.explain.asked import chosen
    from gluon_inspect.explain.explanation import explain
    from gluon_inspect.explain.measured import with_measurements
    from gluon_inspect.explain.output import write
    from gluon_inspect.explain.patch import with_patches
    from gluon_inspect.explain.trial import checked
    from gluon_inspect.workflow.inspection import inspect_all

    asked = replace(request(arguments), measure=False)
    with progress() as tell:
        outcome = inspect_all(asked, tell)
        report = outcome.report()
        kernels = chosen(report.kernels, arguments.finding, arguments.line)
        explained = [explain(kernel, finding=arguments.finding, line=arguments.line) for kernel in kernels]
        explained = [with_patches(each, report.sources) for each in explained]
        if arguments.trial or arguments.measure:
            tell("compiling proposals")
            explained = [checked(each, asked, report.sources) for each in explained]
        if arguments.measure:
            explained = with_measurements(explained, asked, tell)
    write(explained, report.sources, arguments.format, arguments.output)
    show_problems(report, outcome.failures)
    return 2 if outcome.failures or report.error is not None else 0
