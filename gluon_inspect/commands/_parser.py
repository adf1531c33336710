"""The parser of one command: examples below its options, and the nearest word for what was mistyped."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NoReturn

_UNKNOWN = re.compile(r"unrecognized arguments: (.*)", re.DOTALL)
_CHOICE = re.compile(r"argument (.*): invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)
_BAD_INPUT = 2


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line: what is wrong, the nearest that exists, where help is."""

    def __init__(self, prog: str, *, description: str, examples: str = "", closing: str = "") -> None:
        below = f"examples:\n{_indented(examples)}\n\n{closing}" if examples else closing
        drawn = argparse.RawDescriptionHelpFormatter
        super().__init__(prog, description=description, epilog=below, formatter_class=drawn)

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 and one line on stderr."""
        self.exit(_BAD_INPUT, f"gluon-inspect: error: {self._told(message)} (see {self.prog} --help)\n")

    def shorten_usage(self) -> None:
        """Options stand below in their groups: the first line names only what must be given."""
        formatter = self._get_formatter()
        formatter.add_usage(None, self._get_positional_actions(), [], "")
        self.usage = formatter.format_help().strip().replace(self.prog, f"{self.prog} [options]", 1)

    def _told(self, message: str) -> str:
        if match := _UNKNOWN.fullmatch(message):
            words = match[1].split()
            wrong = next((word for word in words if word.startswith("-")), words[0])
            kind = "option" if wrong.startswith("-") else "argument"
            return f"no {kind} {wrong!r}{did_you_mean(wrong.partition('=')[0], self._option_string_actions)}"
        if match := _CHOICE.fullmatch(message):
            known = re.findall(r"[^\s',]+", match[3])
            return f"{match[1]} is one of {', '.join(known)}, not {match[2]!r}{did_you_mean(match[2], known)}"
        return message


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ "; did you mean X?" for the nearest known word, or nothing."""
    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def completed(action: argparse.Action, words: Sequence[str]) -> None:
    """Words that the shell offers for an option which takes others as well."""

    def offered(**_: object) -> list[str]:
        return list(words)

    setattr(action, "completer", offered)  # noqa: B010 argcomplete's name, unknown to argparse


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.strip().split("\n"))
