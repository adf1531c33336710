"""An MLIR_ENABLE_DUMP log (Triton 3.6 to 3.9) cut at its headers, without copying the modules between them.

The log is stderr as it was: other output may stand between the modules, several compilations may follow each
other, the end may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gluon_inspect.model.artifact import PassDump
from gluon_inspect.model.dump import DumpEntry, Level, Moment

_MARK = "// -----// "
_HEADER = re.compile(r"// -----// (?:\S+ internal )?IR Dump (Before|After)(:?) (.*)")
_OPERATION = re.compile(r"\s*\('([\w.]+)' operation(?:: @(\"[^\"]*\"|[^\s)]+))?\)\Z")
_FAILED = re.compile(r" Failed(?=:| \(|\Z)")
_ARGUMENT = re.compile(r"(?:: ([\w.-]+)|\s*\(([\w.-]+))\s*(?:\{(.*)\})?\s*\)?\Z", re.DOTALL)
_FUNCTION = re.compile(r"tt\.func (?:public )?@\"?([\w.$-]+)|llvm\.func [^@\n]*@\"?([\w.$-]+)[^\n]*nvvm\.kernel")
_HEAD_CHARACTERS = 200_000
"""How much of a module is looked at for its kernel and level; aliases and module attributes come first."""

_TAIL = re.compile(r"\}[^\n]*+\n?|[#!][\w$.-]+ = [^\n]*+\n?|\s*+\n|\{-#[\s\S]*?#-\}\n?")
"""A line that may follow the last line of a module's own text."""

_LAST = re.compile(r"[#!][\w$.-]+ = |\}")


@dataclass(frozen=True, slots=True)
class _Header:
    name: str
    argument: str
    options: str
    operation: str
    symbol: str
    moment: Moment
    failed: bool
    at: int
    start: int


def index_dump(text: str) -> tuple[DumpEntry, ...]:
    """Every module in a log, in order; empty where there is none. Takes time only for the headers."""
    headers = list(_headers(text))
    entries: list[DumpEntry] = []
    for at, header in enumerate(headers, 1):
        end = headers[at].at if at < len(headers) else len(text)
        entries.append(_entry(text, header, end, entries))
    return tuple(entries)


def split_dump(text: str) -> tuple[PassDump, ...]:
    """Every module in a log with its text; equal texts that follow each other are one object."""
    dumps: list[PassDump] = []
    for entry in index_dump(text):
        module = text[entry.start : entry.end]
        if dumps and dumps[-1].text == module:
            module = dumps[-1].text
        dumps.append(PassDump(entry.index, entry.name, module))
    return tuple(dumps)


def _headers(text: str) -> Iterator[_Header]:
    at = text.find(_MARK)
    while at >= 0:
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        match = _HEADER.match(text[at:line_end].rstrip("\r"))
        if match:
            yield _header(match, at, min(line_end + 1, len(text)))
        at = text.find(_MARK, line_end)


def _header(match: re.Match[str], at: int, start: int) -> _Header:
    moment = Moment.INSIDE if match[2] else Moment(match[1].lower())
    rest = match[3].removesuffix("//----- //").rstrip()
    operation, symbol = "builtin.module", ""
    found = _OPERATION.search(rest)
    if found:
        operation, symbol = found[1], (found[2] or "").strip('"')
        rest = rest[: found.start()]
    rest, failed = _FAILED.subn("", rest)
    name, argument, options = _pass(rest)
    return _Header(name, argument, options, operation, symbol, moment, bool(failed), at, start)


def _pass(text: str) -> tuple[str, str, str]:
    """Class, argument and options of `Class: argument{options}` or `Class (argument{options})`."""
    text = text.removeprefix("(anonymous namespace)::").partition(": unknown<")[0]
    match = _ARGUMENT.search(text)
    if match is None:
        return text, "", ""
    return text[: match.start()], match[1] or match[2], (match[3] or "").strip()


def _entry(text: str, header: _Header, end: int, before: list[DumpEntry]) -> DumpEntry:
    head = min(end, header.start + _HEAD_CHARACTERS)
    level = _level(text, header, head)
    kernel = _kernel(text, header.start, head)
    last = before[-1] if before else None
    fresh = last is not None and _begins_again(last, level, kernel)
    return DumpEntry(
        index=len(before),
        name=header.name,
        argument=header.argument,
        options=header.options,
        operation=header.operation,
        symbol=header.symbol,
        moment=header.moment,
        failed=header.failed,
        level=level,
        kernel=kernel or (last.kernel if last is not None and not fresh else ""),
        compilation=0 if last is None else last.compilation + fresh,
        start=header.start,
        end=_module_end(text, header.start, end),
    )


def _level(text: str, header: _Header, head: int) -> Level:
    if header.operation.startswith("llvm.") or text.find("llvm.func ", header.start, head) >= 0:
        return Level.LLVM
    marks = ("ttg.num-warps", "= #ttg.")
    is_gpu = any(text.find(mark, header.start, head) >= 0 for mark in marks)
    return Level.TRITON_GPU if is_gpu else Level.TRITON


def _kernel(text: str, start: int, head: int) -> str:
    public = text.find("tt.func public @", start, head)
    match = _FUNCTION.search(text, public if public >= 0 else start, head)
    return (match[1] or match[2]) if match else ""


def _begins_again(last: DumpEntry, level: Level, kernel: str) -> bool:
    """Whether another compilation begins: another kernel, or a level above the one before."""
    return bool(kernel and last.kernel and kernel != last.kernel) or level < last.level


def _module_end(text: str, start: int, end: int) -> int:
    """The end of the first operation printed and its aliases; other output may follow it.

    Mostly the last line shows that nothing does. Otherwise: the printer closes the outermost operation, and
    nothing else, in the first column. Without such a line the module is cut off and has all there is.
    """
    last = _last_line(text, start, end)
    if _LAST.match(text, last, end):
        return end
    close = start if text.startswith("}", start) else text.find("\n}", start, end) + 1
    if close <= start:
        return end
    stop = close
    while match := _TAIL.match(text, stop, end):
        stop = match.end()
    return stop


def _last_line(text: str, start: int, end: int) -> int:
    """Where the last line that is not blank begins."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return max(text.rfind("\n", start, end) + 1, start)
