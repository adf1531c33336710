"""What a project's own settings make of a report: suppressions, budgets, the baseline."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect.errors import UsageError
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request, Tell
from gluon_inspect.project.budgets import with_budgets, with_time_budgets
from gluon_inspect.project.comparison import compared
from gluon_inspect.project.configuration import Configuration
from gluon_inspect.project.documents import Json, read_document
from gluon_inspect.project.suppressions import suppressed
from gluon_inspect.report.json import document, render
from gluon_inspect.workflow.inspection import inspect_all

_REPORT_SUFFIX = ".json"


def judged(report: Report, configuration: Configuration, baseline: str | None) -> Report:
    """The report with budgets checked, suppressions applied and, if a baseline is given, compared with it."""
    report = suppressed(with_budgets(report, configuration.budgets))
    if baseline is None:
        return report
    report = compared(report, read_document(baseline), baseline)
    return with_time_budgets(report, configuration.budgets)


def document_of(request: Request, tell: Tell) -> Json:
    """The JSON form of one path: read if it is a report, made otherwise (suppressions applied)."""
    path = request.paths[0]
    if path.endswith(_REPORT_SUFFIX):
        return read_document(path)
    return document(suppressed(inspect_all(request, tell).report()))


def save_baseline(report: Report, file: str | None) -> None:
    """Write the report as the baseline of later runs."""
    if file is None:
        hint = "give --baseline FILE, or set baseline in the configuration"
        raise UsageError("--update-baseline has no file to write", hint=hint)
    try:
        Path(file).write_text(render(report), "utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
