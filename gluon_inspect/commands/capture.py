"""`gluon-inspect capture`: take a script's kernels away in one file, to be reported on elsewhere."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gluon_inspect.capture.record import Progress
    from gluon_inspect.model.artifact import Capture

NAME = "capture"
HELP = "record a script's kernels (or gather files) into one capture file"
_INCOMPLETE = 2


def add_arguments(parser: ArgumentParser) -> None:
    """What to record and where it goes."""
    parser.add_argument("path", metavar="PATH", help="a script, file.py::function, IR, dump log or Triton folder")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.gi", help="the capture file to write")
    parser.add_argument(
        "--target", default="", metavar="TARGET", help="cuda:90 (default for scripts), hip:gfx942 …"
    )
    parser.add_argument("--kernel", action="append", default=[], metavar="NAME", help="only kernels of this name")
    parser.add_argument("-m", dest="module", action="store_true", help="PATH is a module's name, as for python -m")
    parser.add_argument("--redact", action="store_true", help="leave out sources and folder names")


def run(arguments: Namespace) -> int:
    """Record, write, and say what the file holds; 2 where the script failed on the way."""
    from gluon_inspect.capture.open import Input, open_capture
    from gluon_inspect.capture.redact import redact
    from gluon_inspect.capture.save import save_capture

    what = Input(
        arguments.path,
        target=arguments.target,
        kernels=arguments.kernel,
        script_arguments=arguments.script_arguments,
        module=arguments.module,
    )
    capture = open_capture(what, _tell)
    save_capture(redact(capture) if arguments.redact else capture, Path(arguments.output))
    _describe(capture, arguments.output)
    return _INCOMPLETE if capture.error is not None else 0


def _tell(progress: Progress) -> None:
    if progress.compiling and sys.stderr.isatty():
        sys.stderr.write(f"compiling {progress.compiling} ({progress.compilations} kernels so far)\n")


def _describe(capture: Capture, output: str) -> None:
    launches = sum(launch.count for kernel in capture.kernels for launch in kernel.launches)
    names = ", ".join(dict.fromkeys(kernel.name for kernel in capture.kernels))
    sys.stderr.write(f"{output}: {len(capture.kernels)} compilations of {names}; {launches} launches\n")
    for note in capture.notes:
        sys.stderr.write(f"note: {note}\n")
    if capture.error is not None:
        place = f"{capture.error.file}:{capture.error.line}: " if capture.error.file else ""
        sys.stderr.write(f"{place}{capture.error.message}\n{capture.error.traceback}")
