"""`gluon-inspect diff`: what changed between two reports, captures or scripts, or since a revision."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gluon_inspect.errors import UsageError

if TYPE_CHECKING:
    from gluon_inspect.commands._output import Tell
    from gluon_inspect.project.documents import Json

NAME = "diff"
HELP = "say what changed between two reports, captures or scripts"
EXAMPLES = """
gluon-inspect diff before.json after.json            two reports
gluon-inspect diff kernels.py --rev main             a script as it was and as it is
gluon-inspect diff a.gi b.gi --format markdown       for a pull request
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Two things to compare, or one and a revision."""
    parser.add_argument("before", metavar="A", help="a JSON report, a capture, IR or a script")
    parser.add_argument("after", nargs="?", metavar="B", help="the same, later; left out with --rev")
    parser.add_argument("--rev", metavar="BASE", help="compare A as it stood at this git revision with A as it is")
    parser.add_argument("--target", metavar="TARGET", help="for scripts (default cuda:90)")
    parser.add_argument(
        "--format", action="append", metavar="NAME[=FILE]", help="text (default), json, markdown, html"
    )
    parser.add_argument("-o", "--output", metavar="FILE")
    parser.add_argument(
        "--fail-on", default="error", metavar="LEVEL|RULE,…", help="as in report, of what got worse"
    )


def run(arguments: Namespace) -> int:
    """Compare and answer the gate."""
    from gluon_inspect.commands._faults import EXIT_CODE, tell_faults
    from gluon_inspect.commands._output import progress, writers
    from gluon_inspect.model.report import Report
    from gluon_inspect.project.comparison import comparison
    from gluon_inspect.project.gate import parse_gate

    if (arguments.after is None) == (arguments.rev is None):
        raise UsageError("give two things to compare, or one and --rev BASE")
    outputs = writers(tuple(arguments.format or ("text",)), arguments.output)
    gate = parse_gate(arguments.fail_on)
    with progress() as tell:
        before, after, name = _both(arguments, tell)
    found = comparison(before, after, name)
    report = Report((), arguments.after or arguments.before, comparison=found)
    faults = [fault for write in outputs if (fault := write(report)) is not None]
    tell_faults(faults, debug=arguments.debug)
    return EXIT_CODE if faults else gate.exit_code_of(after, found)


def _both(arguments: Namespace, tell: Tell) -> tuple[Json, Json, str]:
    """The two documents, and what the first is called."""
    from gluon_inspect.model.request import Request
    from gluon_inspect.project.judgement import document_of
    from gluon_inspect.project.revisions import at_revision

    def read(path: str) -> Json:
        targets = (arguments.target,) if arguments.target else ()
        return document_of(Request((path,), targets, script_arguments=arguments.script_arguments), tell)

    if arguments.rev is None:
        return read(arguments.before), read(arguments.after), arguments.before
    with at_revision(arguments.before, arguments.rev) as old:
        return read(old), read(arguments.before), arguments.rev
