"""GitHub workflow commands: one annotation a finding, at the Python line; problems as notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.places import repository_path

NAME = "github"
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_MOST_ANNOTATIONS = 10
"""Of each kind in a step that GitHub shows (GitHub documentation, limits of workflow commands)."""
_MESSAGE_CHARACTERS = 4000
"""GitHub cuts a log line's message at 4 KiB."""


def render(report: Report, style: Style = PLAIN) -> str:  # noqa: ARG001 - a log has one look
    """Commands, one a line; a finding that several launches share is said once, naming the launches' count."""
    lines = [*_script_error(report)]
    for kernel in report.kernels:
        lines.extend(_kernel(kernel))
    told = list(dict.fromkeys(lines))
    return "".join(f"{line}\n" for line in (*told, *_not_shown(told)))


def _not_shown(lines: Sequence[str]) -> Iterator[str]:
    """A line in the log about what GitHub will not show beside the code."""
    for kind in _COMMANDS.values():
        further = sum(1 for line in lines if line.startswith(f"::{kind} ")) - _MOST_ANNOTATIONS
        if further > 0:
            yield f"{further} more of kind {kind} are in this log only: GitHub shows {_MOST_ANNOTATIONS} a step"


def _script_error(report: Report) -> Iterator[str]:
    if report.error is not None:
        place = Location(report.error.file, report.error.line) if report.error.file else None
        yield _command("error", place, "script raised", report.error.message)


def _kernel(report: KernelReport) -> Iterator[str]:
    compiled = report.kernel
    told = compiled.error or report.unread
    if told:
        place = Location(compiled.source_file, compiled.source_line) if compiled.source_file else None
        yield _command("error", place, _broken(report), f"{compiled.name} for {compiled.target}: {told}")
    for finding in report.findings:
        yield _command(_COMMANDS[finding.severity], finding.location, _title(finding), _message(report, finding))


def _broken(report: KernelReport) -> str:
    return "not compiled" if report.kernel.error else "not read"


def _title(finding: Finding) -> str:
    return f"{finding.rule} {finding.name}"


def _message(report: KernelReport, finding: Finding) -> str:
    advice = f" ({finding.help})" if finding.help else ""
    return f"{report.name} for {report.kernel.target}: {finding.message}{advice}"


def _command(kind: str, place: Location | None, title: str, message: str) -> str:
    properties = {"title": title}
    if place is not None:
        place = place.author
        properties = {"file": repository_path(place.file), "line": str(place.line)} | properties
        if place.column:
            properties["col"] = str(place.column)
    parts = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{kind} {parts}::{_data(visible(message, _MESSAGE_CHARACTERS))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text, _MESSAGE_CHARACTERS)).replace(":", "%3A").replace(",", "%2C")
