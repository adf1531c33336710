"""`gluon-inspect capture`: take the capture away, and report on it elsewhere."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gluon_inspect.commands._options import add_input_arguments, request
from gluon_inspect.errors import UsageError

NAME = "capture"
HELP = "record a script (or gather files) into one file to report on elsewhere"
EXAMPLES = """
gluon-inspect capture kernels.py -o run.gi               record here, report elsewhere
gluon-inspect capture kernels.py -o run.gi --redact      without sources and binaries
gluon-inspect capture kernels.py -o run.gi -- --size 4   what follows -- goes to the script
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Input options and the file to write."""
    add_input_arguments(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the capture to write, usually *.gi")
    parser.add_argument("--redact", action="store_true", help="leave out source text, binaries and folder names")


def run(arguments: Namespace) -> int:
    """Record and save; a script that raised still gives the capture of what came before, and exit code 2."""
    from pathlib import Path

    from gluon_inspect.commands._output import progress, say, say_script_error
    from gluon_inspect.loading.disassemble import with_sass
    from gluon_inspect.loading.redact import redact
    from gluon_inspect.loading.save import contents, save_capture
    from gluon_inspect.project.gate import BROKEN, CLEAN
    from gluon_inspect.workflow.inspection import capture_one

    asked = request(arguments)
    if len(asked.paths) > 1 or len(asked.targets) > 1:
        raise UsageError("a capture is of one path for one target", hint="run it once for each")
    with progress() as tell:
        capture = capture_one(asked, tell)
        if arguments.redact:
            # the binaries are left out: what they say stands in their listings too
            capture = redact(with_sass(capture, tell))
    try:
        save_capture(capture, Path(arguments.output))
    except OSError as error:
        raise UsageError(f"cannot write {arguments.output}: {error.strerror}") from error
    say(f"{arguments.output} holds {contents(capture)}")
    if capture.error is not None:
        say_script_error(capture.error)
    refused = [kernel for kernel in capture.kernels if kernel.error]
    for kernel in refused:
        first = kernel.error.strip().splitlines()[0]
        say(f"error: {kernel.name} for {kernel.target} could not be compiled: {first}")
    return BROKEN if refused or capture.error is not None else CLEAN
