"""The headers of a dump log: which pass, with what options, on what operation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gluon_inspect.ir.operations import builtin
from gluon_inspect.ir.text.literals import symbol_name
from gluon_inspect.model.dump import Moment

_MARK = "// -----// "
_HEADER = re.compile(r"// -----// (?:\S+ internal )?IR Dump (Before|After)(:?) (.*)")
_OPERATION = re.compile(r"\s*\('([\w.]+)' operation(?:: @(\"[^\"]*\"|.+?))?\)\Z")
_FAILED = re.compile(r" Failed(?=:| \(|\Z)")
_ARGUMENT = re.compile(r"(?:: ([\w.-]+)|\s*\(([\w.-]+))\s*(?:\{(.*)\})?\s*\)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Header:
    """One header line; the module's text begins at `start`, counted from the header."""

    name: str
    argument: str
    options: str
    operation: str
    symbol: str
    moment: Moment
    failed: bool
    start: int


def pieces(text: str) -> Iterator[str]:
    """A log cut before its headers: what stands in front of the first (mostly nothing), then a piece each.

    Other output may stand in front of a header on its line.
    """
    start, at = 0, text.find(_MARK)
    while at >= 0:
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        if _HEADER.match(text[at:line_end].rstrip("\r")):
            yield text[start:at]
            start = at
        at = text.find(_MARK, line_end)
    yield text[start:]


def pieces_of_lines(lines: Iterable[str]) -> Iterator[str]:
    """The same of a log that is read line by line, so that no more than a piece is in memory."""
    piece: list[str] = []
    for line in lines:
        at = line.find(_MARK)
        if at >= 0 and _HEADER.match(line[at:].rstrip("\r\n")):
            yield "".join((*piece, line[:at]))
            piece = [line[at:]]
        else:
            piece.append(line)
    yield "".join(piece)


def header_of(piece: str) -> Header | None:
    """The header that a piece begins with."""
    line_end = piece.find("\n")
    line_end = len(piece) if line_end < 0 else line_end
    match = _HEADER.match(piece[:line_end].rstrip("\r"))
    return _header(match, min(line_end + 1, len(piece))) if match else None


def _header(match: re.Match[str], start: int) -> Header:
    moment = Moment.INSIDE if match[2] else Moment(match[1].lower())
    rest = match[3].removesuffix("//----- //").rstrip()
    operation, symbol = builtin.MODULE.name, ""
    found = _OPERATION.search(rest)
    if found:
        operation, symbol = found[1], symbol_name(f"@{found[2] or ''}")
        rest = rest[: found.start()]
    rest, failed = _FAILED.subn("", rest)
    name, argument, options = _pass(rest)
    return Header(name, argument, options, operation, symbol, moment, bool(failed), start)


def _pass(text: str) -> tuple[str, str, str]:
    """Class, argument and options of `Class: argument{options}` or `Class (argument{options})`."""
    text = text.removeprefix("(anonymous namespace)::").partition(": unknown<")[0]
    match = _ARGUMENT.search(text)
    if match is None:
        return text, "", ""
    return text[: match.start()], match[1] or match[2], (match[3] or "").strip()
