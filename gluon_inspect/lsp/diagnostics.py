"""Problems of a report as diagnostics at the author's lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Position,
    Range,
)
from lsprotocol.types import Location as Place

from gluon_inspect.lsp.lines import Encoding, Lines, statement
from gluon_inspect.lsp.seen import Seen, is_in, of_file, real
from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.verdict.problems import Problem
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.compile_errors import raised_at
from gluon_inspect.wording.numbers import duration, percent, plural

SOURCE = "gluon-inspect"
_LEVELS = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.NOTE: DiagnosticSeverity.Information,
}
_MOST_RELATED = 4


def diagnostics(
    seen: Sequence[Seen], file: str, text: str, encoding: Encoding, rules: str = ""
) -> list[Diagnostic]:
    """Every problem at a line of the file that is still as it was recorded, each once; then what failed.

    `rules`: the URI of a folder with a page for each rule; empty: no link.
    """
    found: dict[tuple[object, ...], Diagnostic] = {}
    for each, lines in of_file(seen, file, text):
        for made in (*_problems(each, lines, file, encoding, rules), *_failures(each, lines, file, encoding)):
            found.setdefault((made.code, made.range.start.line, made.message), made)
    return list(found.values())


def _problems(seen: Seen, lines: Lines, file: str, encoding: Encoding, rules: str) -> Iterator[Diagnostic]:
    for problem in seen.problems:
        for finding in _places(problem):
            place = finding.location
            line = lines.now(place.author.line) if place is not None and is_in(place, file) else None
            if place is None or line is None:
                continue
            yield Diagnostic(
                range=statement(lines.text[line], line, place.author.column, encoding),
                message=_message(problem) if finding is problem.finding else _short(problem, finding),
                severity=_LEVELS[finding.severity],
                code=finding.rule,
                code_description=CodeDescription(f"{rules}/{finding.rule}.md") if rules else None,
                source=SOURCE,
                related_information=list(_related(problem, finding, place)) or None,
                data={"rule": finding.rule, "finding": finding.id},
            )


def _places(problem: Problem) -> Iterator[Finding]:
    """The finding that speaks for the problem, and one at each other line that the same change mends."""
    said: set[tuple[str, int]] = set()
    for each in problem.occurrences:
        for finding in (each.finding, *each.elsewhere):
            author = finding.location.author if finding.location is not None else None
            if author is not None and (author.file, author.line) not in said:
                said.add((author.file, author.line))
                yield finding


def _short(problem: Problem, finding: Finding) -> str:
    """Of a line that the problem has too: what it does, and where the rest is told."""
    place = problem.location
    rest = "" if place is None else f"\nOne problem with line {place.author.line}."
    return f"{_sentence(finding.message)}{rest}"


def _sentence(text: str) -> str:
    return f"{visible(text[:1].upper())}{visible(text[1:])}."


def _message(problem: Problem) -> str:
    finding, lost = problem.finding, problem.lost_seconds
    price = ""
    if lost is not None:
        kernels = visible(", ".join(problem.kernels))
        price = f"\nPredicted to lose {duration(lost)}, {percent(problem.share)} of {kernels}"
        launches = len(problem.occurrences)
        price += f", in {launches} of {plural(problem.entries, 'launch')}" if problem.entries > 1 else ""
        price += "."
    advice = f"\n{_sentence(finding.help)}" if finding.help else ""
    return f"{_sentence(finding.message)}{price}{advice}"


def _related(problem: Problem, finding: Finding, place: Location) -> Iterator[DiagnosticRelatedInformation]:
    """What else belongs to the problem: other lines, other findings of the access, the callers."""
    own = finding is problem.finding
    others = problem.first.also + problem.first.elsewhere if own else (problem.finding,)
    for other in others[:_MOST_RELATED]:
        at = other.location or place
        yield DiagnosticRelatedInformation(_at(at.author), f"{other.rule} {other.name}: {visible(other.message)}")
    for caller in place.author.callers[:_MOST_RELATED]:
        yield DiagnosticRelatedInformation(_at(caller), "called here")


def _at(place: Location) -> Place:
    start = Position(max(0, place.line - 1), max(0, place.column - 1))
    return Place(uri_of(place.file), Range(start, start))


def uri_of(file: str) -> str:
    """A path as the protocol names it."""
    return Path(file).absolute().as_uri()


def _failures(seen: Seen, lines: Lines, file: str, encoding: Encoding) -> Iterator[Diagnostic]:
    """A script that raised, and kernels that do not compile."""
    error = seen.report.error
    if error is not None and real(error.file) == real(file) and (line := lines.now(error.line)) is not None:
        yield _failure(lines, line, f"In {visible(seen.script)}, {visible(error.told)}", "script", encoding)
    for _, kernel in seen.kernels(file):
        if not kernel.kernel.error:
            continue
        raised = raised_at(kernel.kernel.error)
        at = raised.line if raised is not None and real(raised.file) == real(file) else kernel.kernel.source_line
        if (line := lines.now(at)) is not None:
            first, *between = kernel.kernel.error.strip().splitlines()
            last = f" {between[-1].strip()}" if between else ""
            told = f"{kernel.name} does not compile for {kernel.kernel.target}: {first}{last}"
            yield _failure(lines, line, visible(told), "compilation", encoding)


def _failure(lines: Lines, line: int, message: str, code: str, encoding: Encoding) -> Diagnostic:
    place = statement(lines.text[line], line, 0, encoding)
    return Diagnostic(place, message, severity=DiagnosticSeverity.Error, code=code, source=SOURCE)
