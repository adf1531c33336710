"""Which kernels a report keeps, and how several reports become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from gluon_inspect.errors import UsageError
from gluon_inspect.model.report import Report


def chosen(report: Report, patterns: Sequence[str]) -> Report:
    """Only the kernels whose name fits one of the patterns (none: all); UsageError if none does."""
    if not patterns:
        return report
    kept = tuple(k for k in report.kernels if any(fnmatchcase(k.name, pattern) for pattern in patterns))
    if not kept:
        names = ", ".join(dict.fromkeys(kernel.name for kernel in report.kernels)) or "none"
        raise UsageError(f"no kernel is named {' or '.join(patterns)}", hint=f"there are: {names}")
    return replace(report, kernels=kept)


def merged(reports: Sequence[Report]) -> Report:
    """One report of several, in order; the first script error stands, further ones become notes."""
    if len(reports) == 1:
        return reports[0]
    errors = [report.error for report in reports if report.error is not None]
    further = tuple(f"{error.file}:{error.line}: {error.message}" for error in errors[1:])
    return Report(
        kernels=tuple(kernel for report in reports for kernel in report.kernels),
        origin=", ".join(dict.fromkeys(report.origin for report in reports)),
        sources={file: text for report in reports for file, text in report.sources.items()},
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)) + further,
        error=errors[0] if errors else None,
    )
