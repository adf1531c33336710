"""The command line: finds the commands, hands over, and turns errors into a line and an exit code."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from gluon_inspect.bulkheads import Fault, FaultError, contained
from gluon_inspect.commands import Command, commands
from gluon_inspect.errors import InspectError

_DESCRIPTION = "What a Triton Gluon kernel's layouts cost, at your Python line, without a GPU."
_EPILOG = (
    "Arguments after -- go to the script. Exit codes: 0 clean, 1 findings at --fail-on, 2 bad input or usage, "
    "70 a fault of gluon-inspect itself."
)
_BAD_INPUT = 2
_INTERRUPTED = 130
_BROKEN_PIPE = 141
_LAST_STREAM = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    _open_streams()
    _end_on_terminate()
    words = list(sys.argv[1:] if argv is None else argv)
    ours, script_arguments = _split(words)
    namespace = _parser(commands()).parse_args(ours)
    namespace.script_arguments = script_arguments
    try:
        result = contained(f"gluon-inspect {namespace.command.NAME}", lambda: _run(namespace))
        return _told(result, namespace.debug) if isinstance(result, Fault) else result
    except FaultError as error:
        return _told(error.fault, namespace.debug)
    except InspectError as error:
        from gluon_inspect.commands._output import say_error

        say_error(error)
        return _BAD_INPUT
    except KeyboardInterrupt:
        print("gluon-inspect: interrupted", file=sys.stderr)  # noqa: T201
        return _INTERRUPTED


def _run(namespace: argparse.Namespace) -> int:
    try:
        return namespace.command.run(namespace)
    except BrokenPipeError:
        # The reader has gone (`| head`); closing here keeps the interpreter from complaining at exit.
        sys.stderr.close()
        return _BROKEN_PIPE


def _told(fault: Fault, debug: bool) -> int:
    from gluon_inspect.commands._faults import EXIT_CODE, tell_faults

    tell_faults([fault], debug=debug)
    return EXIT_CODE


def _end_on_terminate() -> None:
    """SIGTERM ends the run as Ctrl-C does: children are ended and temporary folders removed on the way out."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminated)


def _terminated(*_: object) -> None:
    raise SystemExit(128 + signal.SIGTERM)


def _open_streams() -> None:
    """Closed streams (`>&-`) lead nowhere, and no file of ours takes their numbers; ASCII ones show escapes."""
    with suppress(OSError):
        while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
            os.set_inheritable(descriptor, True)
        os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _split(words: list[str]) -> tuple[list[str], tuple[str, ...]]:
    if "--" not in words:
        return words, ()
    at = words.index("--")
    return words[:at], tuple(words[at + 1 :])


def _parser(available: Sequence[Command]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("gluon-inspect", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action=_Version)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in available:
        sub = subparsers.add_parser(command.NAME, help=command.HELP, description=command.HELP, epilog=_EPILOG)
        command.add_arguments(sub)
        sub.add_argument("--debug", action="store_true", help="show the traceback of a fault of gluon-inspect")
        sub.set_defaults(command=command)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: reading package metadata is slow."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from gluon_inspect.version import tool_version

        print(f"gluon-inspect {tool_version()}")  # noqa: T201
        parser.exit()
