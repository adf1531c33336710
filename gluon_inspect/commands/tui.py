"""`gluon-inspect tui`: one kernel at a time, everything linked."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace

from gluon_inspect.commands._options import add_input_arguments, add_measure_arguments, request
from gluon_inspect.errors import UsageError

NAME = "tui"
HELP = "look at kernels interactively: source, IR and assembly side by side"
EXAMPLES = """
gluon-inspect tui kernels.py                 open on the worst line
gluon-inspect tui kernels.py --watch         inspect again when the file is saved
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Input options, then how the screen behaves."""
    add_input_arguments(parser)
    add_measure_arguments(parser)
    parser.add_argument("--no-cache", action="store_true", help="run every script, whatever an earlier run left")
    parser.add_argument("--watch", action="store_true", help="inspect again when an input or source file changes")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark", help="colours (t changes them)")


def run(arguments: Namespace) -> int:
    """Open the screen; 0 when it is closed."""
    asked = replace(request(arguments), cache=not arguments.no_cache)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("tui needs a terminal", hint="gluon-inspect report writes text, JSON, HTML …")
    from gluon_inspect.tui.app import InspectApp
    from gluon_inspect.tui.terminal import own_terminal

    with own_terminal() as printed:
        app = InspectApp(asked, printed=printed, watch=arguments.watch, dark=arguments.theme == "dark")
        app.run()
    return app.return_code or 0
