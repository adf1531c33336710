"""Why a compilation ended early: the pass, the message, the source line."""

import re
from dataclasses import dataclass

from gluon_inspect.model.dump import DumpEntry, Level
from gluon_inspect.model.location import Location

_PASS = re.compile(r"Pipeline failed while executing \[`(?:\(anonymous namespace\)::)?([\w:<>]+)` on '")
_DIAGNOSTIC = re.compile(r"^(?:loc\()?\"?([^\"\n]*?)\"?:(\d+)(?::(\d+))?\)?: error: (.*)$", re.MULTILINE)
_CRASH = re.compile(r"^(LLVM ERROR: .*|.*Assertion .* failed.*|Fatal Python error: .*)$", re.MULTILINE)
_MANAGER = "PassManager::run failed"
_PLACE = re.compile(r"^(\S[^:\n]*\.py):(\d+)(?::(\d+))?: ", re.MULTILINE)
_SUMMARY = "Failures have been detected while processing"


@dataclass(frozen=True, slots=True)
class Failure:
    """`pass_name` is empty where no pass was running (the front end, LLVM, the assembler)."""

    pass_name: str
    message: str
    location: Location | None = None


def failure_in(tail: str, error: str, last_pass: str, last: DumpEntry) -> Failure | None:
    """What went wrong, from the text behind the last module and the compiler's `error`; None if nothing did."""
    said = f"{tail}\n{error}"
    named = _PASS.search(said)
    diagnostics = [match for match in _DIAGNOSTIC.finditer(said) if not match[4].startswith(_SUMMARY)]
    crash = _CRASH.search(tail)
    # Behind the last pass of all, a line that looks like a diagnostic is the program's own output.
    told = diagnostics and last.level is not Level.LLVM
    if not (error or last.failed or named or told or crash or _MANAGER in tail):
        return None
    in_pass = last.failed or crash is not None or _MANAGER in said or last.level is not Level.LLVM
    name = named[1] if named else last_pass if in_pass else ""
    message = diagnostics[0][4] if diagnostics else crash[1] if crash else _first(error) or _MANAGER
    return Failure(name, message.strip(), _place(diagnostics, error))


def failure_before_passes(error: str) -> Failure:
    """What the compiler's `error` says of a compilation that never got to a pass."""
    return Failure("", _first(error), _place(list(_DIAGNOSTIC.finditer(error)), error))


def _place(diagnostics: list[re.Match[str]], error: str) -> Location | None:
    for match in diagnostics:
        if not match[1].startswith("<"):
            return Location(match[1], int(match[2]), int(match[3] or 0))
    found = _PLACE.search(error)
    return Location(found[1], int(found[2]), int(found[3] or 0)) if found else None


def _first(error: str) -> str:
    """The first line of the compiler's message, without the place in front of it.

    The front end says where, quotes the source, and says what last.
    """
    lines = [line for line in error.splitlines() if line.strip()]
    if not lines:
        return ""
    first = _PLACE.sub("", lines[0])
    return f"{first.split(':', 1)[0]}: {lines[-1].strip()}" if first.rstrip().endswith(":") else first
