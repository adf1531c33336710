"""The headers of a dump log: which pass, with what options, on what operation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gluon_inspect.model.dump import Moment

_MARK = "// -----// "
_HEADER = re.compile(r"// -----// (?:\S+ internal )?IR Dump (Before|After)(:?) (.*)")
_OPERATION = re.compile(r"\s*\('([\w.]+)' operation(?:: @(\"[^\"]*\"|.+?))?\)\Z")
_FAILED = re.compile(r" Failed(?=:| \(|\Z)")
_ARGUMENT = re.compile(r"(?:: ([\w.-]+)|\s*\(([\w.-]+))\s*(?:\{(.*)\})?\s*\)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Header:
    """One header line. It begins at `at`; the module's text begins at `start`."""

    name: str
    argument: str
    options: str
    operation: str
    symbol: str
    moment: Moment
    failed: bool
    at: int
    start: int


def headers(text: str) -> Iterator[Header]:
    """Every header of a log, in order; other output may stand in front of one on its line."""
    at = text.find(_MARK)
    while at >= 0:
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        match = _HEADER.match(text[at:line_end].rstrip("\r"))
        if match:
            yield _header(match, at, min(line_end + 1, len(text)))
        at = text.find(_MARK, line_end)


def _header(match: re.Match[str], at: int, start: int) -> Header:
    moment = Moment.INSIDE if match[2] else Moment(match[1].lower())
    rest = match[3].removesuffix("//----- //").rstrip()
    operation, symbol = "builtin.module", ""
    found = _OPERATION.search(rest)
    if found:
        operation, symbol = found[1], (found[2] or "").strip('"')
        rest = rest[: found.start()]
    rest, failed = _FAILED.subn("", rest)
    name, argument, options = _pass(rest)
    return Header(name, argument, options, operation, symbol, moment, bool(failed), at, start)


def _pass(text: str) -> tuple[str, str, str]:
    """Class, argument and options of `Class: argument{options}` or `Class (argument{options})`."""
    text = text.removeprefix("(anonymous namespace)::").partition(": unknown<")[0]
    match = _ARGUMENT.search(text)
    if match is None:
        return text, "", ""
    return text[: match.start()], match[1] or match[2], (match[3] or "").strip()
