"""The command line: finds the commands, hands over, and turns errors into a line and an exit code."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from gluon_inspect.bulkheads import Fault, FaultError, contained
from gluon_inspect.commands import Command, commands
from gluon_inspect.commands._parser import CommandParser, did_you_mean
from gluon_inspect.errors import InspectError

_DESCRIPTION = "What a Triton Gluon kernel's layouts cost, at your Python line, without a GPU."
_EPILOG = (
    "Arguments after -- go to the script. Exit codes: 0 clean, 1 findings at --fail-on,\n"
    "2 bad input or usage, 70 a fault of gluon-inspect itself."
)
_EXAMPLES = """
gluon-inspect report kernels.py --target cuda:90     what each access costs, worst first
gluon-inspect explain kernels.py --kernel copy_2d    why it is slow and what to write instead
gluon-inspect tui kernels.py                         source, IR and assembly side by side
"""
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
    namespace = _parsed(ours)
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


def _parsed(words: list[str]) -> argparse.Namespace:
    """A command's own parser reads its words, since options may then stand between paths."""
    available = {command.NAME: command for command in commands()}
    if "_ARGCOMPLETE" in os.environ:
        _complete(_parser(available))
    first = words[0] if words else "--help"
    if first in available:
        return _command_parser(available[first]).parse_intermixed_args(words[1:])
    parser = _parser(available)
    if first.startswith("-"):
        return parser.parse_args([first])
    return parser.error(_no_command(first, available))


def _no_command(word: str, known: Iterable[str]) -> str:
    if Path(word).exists():
        return f"{word!r} is no command; did you mean gluon-inspect report {word}?"
    return f"{word!r} is no command{did_you_mean(word, known)}"


def _parser(available: Mapping[str, Command]) -> CommandParser:
    """All commands at once: for the tool's own help and the shell's completion."""
    parser = CommandParser("gluon-inspect", description=_DESCRIPTION, examples=_EXAMPLES, closing=_EPILOG)
    parser.add_argument("--version", action=_Version)
    under = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=CommandParser)
    for command in available.values():
        _fill(under.add_parser(command.NAME, help=command.HELP, description=command.HELP), command)
    return parser


def _command_parser(command: Command) -> CommandParser:
    name = f"gluon-inspect {command.NAME}"
    return _fill(
        CommandParser(name, description=command.HELP, examples=command.EXAMPLES, closing=_EPILOG), command
    )


def _fill(parser: CommandParser, command: Command) -> CommandParser:
    command.add_arguments(parser)
    parser.add_argument("--debug", action="store_true", help="show the traceback of a fault of gluon-inspect")
    parser.set_defaults(command=command)
    parser.shorten_usage()
    return parser


def _complete(parser: CommandParser) -> None:
    """Answer the shell, which asks through the environment, and end."""
    import argcomplete

    argcomplete.autocomplete(parser)


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: reading package metadata is slow."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from gluon_inspect.version import tool_version

        print(f"gluon-inspect {tool_version()}")  # noqa: T201
        parser.exit()
