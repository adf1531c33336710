"""The command line: finds the commands, hands over, and turns a user's errors into one line and exit code 2."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from gluon_inspect.commands import Command, commands
from gluon_inspect.errors import InspectError

_DESCRIPTION = "What a Triton Gluon kernel's layouts cost, at your Python line, without a GPU."
_EPILOG = (
    "Arguments after -- go to the script. Exit codes: 0 clean, 1 findings at --fail-on, 2 bad input or usage."
)
_BAD_INPUT = 2
_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Bugs are not caught: they show their traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:  # closed (`>&-`): the exit code and files may be all that is wanted
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    ours, script_arguments = _split(words)
    namespace = _parser(commands()).parse_args(ours)
    namespace.script_arguments = script_arguments
    try:
        return namespace.command.run(namespace)
    except InspectError as error:
        print(f"gluon-inspect: error: {error}", file=sys.stderr)  # noqa: T201
        return _BAD_INPUT
    except KeyboardInterrupt:
        print("gluon-inspect: interrupted", file=sys.stderr)  # noqa: T201
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`| head`); closing here keeps the interpreter from complaining at exit.
        sys.stderr.close()
        return _BROKEN_PIPE


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
