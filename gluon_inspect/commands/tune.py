"""`gluon-inspect tune`: a kernel's configurations ranked by expected time, for each of its launches."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gluon_inspect.commands._options import add_input_arguments, request
from gluon_inspect.errors import UsageError

if TYPE_CHECKING:
    from gluon_inspect.model.page import Part
    from gluon_inspect.model.report import Report
    from gluon_inspect.report import Style
    from gluon_inspect.tune.ranking import Ranking

NAME = "tune"
HELP = "rank a kernel's configurations by expected time, without a GPU"
EXAMPLES = """
gluon-inspect tune matmul.py --kernel matmul                   its autotuner's own configurations
gluon-inspect tune matmul.py --kernel matmul --space 'BLOCK_M=64,128 num_warps=4,8 num_stages=2:4'
gluon-inspect tune matmul.py --kernel matmul --plot BLOCK_M --svg times.svg
"""
_FAILED = 2


def add_arguments(parser: ArgumentParser) -> None:
    """Input options, then what is tried and how it is written."""
    add_input_arguments(parser)
    group = parser.add_argument_group("what is tried")
    group.add_argument(
        "--space",
        default="",
        metavar="'NAME=VALUES …'",
        help="every combination of these values (a,b or first:last), in place of the kernel's own configurations",
    )
    group.add_argument("--jobs", type=int, metavar="N", help="processes to work in (default: one a core, up to 8)")
    group.add_argument("--no-cache", action="store_true", help="compile everything, whatever an earlier run left")
    parser.add_argument(
        "--format", choices=("text", "markdown", "json"), default="text", help="how it is written (default text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where it goes (default: standard output)")
    parser.add_argument("--plot", metavar="NAME", help="also the best time for each value of a parameter")
    parser.add_argument("--svg", metavar="FILE", help="draw that plot into a file; --plot names the parameter")


def run(arguments: Namespace) -> int:
    """Compile, rank, write. Exit code 2 where the script failed or nothing could be ranked."""
    from gluon_inspect.commands._output import progress, say_script_error, terminal_style, write_text
    from gluon_inspect.report import PLAIN
    from gluon_inspect.tune.explore import explored
    from gluon_inspect.tune.ranking import rankings
    from gluon_inspect.workflow.executors import default_jobs

    if len(arguments.paths) != 1 or len(arguments.kernel) != 1:
        raise UsageError("tune takes one script and one --kernel", hint="gluon-inspect tune SCRIPT --kernel NAME")
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError(f"--jobs {arguments.jobs}: at least one process is needed")
    if arguments.svg and not arguments.plot:
        raise UsageError("--svg without --plot", hint="--plot NAME says over which parameter")
    asked = replace(request(arguments), space=arguments.space, cache=not arguments.no_cache)
    with progress() as tell:
        report = explored(asked, arguments.jobs or default_jobs(), tell)
        found = rankings(report)
    if not found:
        raise _nothing(report, arguments.kernel[0])
    style = terminal_style() if arguments.output is None else PLAIN
    write_text(_written(found, report, arguments, style), arguments.output)
    if arguments.svg:
        from gluon_inspect.tune.plot import as_svg

        write_text(as_svg(found, arguments.plot), arguments.svg)
    if report.error is not None:
        say_script_error(report.error)
    return _FAILED if report.error is not None or not any(each.candidates for each in found) else 0


def _nothing(report: Report, kernel: str) -> UsageError:
    if any(each.name for each in report.kernels):
        return UsageError(f"{kernel} has no configurations of its own", hint="name some: --space 'BLOCK=64,128 …'")
    return UsageError(f"{kernel} was not compiled", hint="does the script launch it?")


def _written(found: Sequence[Ranking], report: Report, arguments: Namespace, style: Style) -> str:
    from gluon_inspect.tune.output import as_json, page

    if arguments.format == "json":
        return as_json(found, report)
    parts: list[Part] = list(page(found))
    if arguments.plot:
        from gluon_inspect.tune.plot import as_text

        parts += as_text(found, arguments.plot)
    if arguments.format == "markdown":
        from gluon_inspect.wording.markdown import page_as_markdown

        return page_as_markdown(parts)
    from gluon_inspect.report.text.page import page_as_text

    return page_as_text(parts, style).rstrip("\n") + "\n"
