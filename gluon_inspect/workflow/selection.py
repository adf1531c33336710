"""Which kernels a report keeps, and how several reports become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase

from gluon_inspect.errors import UsageError
from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.model.report import Report

MOST_LAUNCHES = 8
"""Launches of one kernel that are inspected: a benchmark repeats one kernel over many sizes."""


_MOST_NAMES = 20


class NoSuchKernel(UsageError):
    """No kernel of a capture has a name that was asked for."""


def chosen(capture: Capture, patterns: Sequence[str]) -> Capture:
    """Only the kernels whose name fits one of the patterns (none: all); NoSuchKernel if none does."""
    if not patterns:
        return capture
    kept = tuple(k for k in capture.kernels if any(fnmatchcase(k.name, pattern) for pattern in patterns))
    if not kept:
        raise NoSuchKernel(
            f"{capture.origin}: no kernel is named {' or '.join(patterns)}",
            hint=f"there are: {_listed([kernel.name for kernel in capture.kernels], patterns)}",
        )
    return replace(capture, kernels=kept)


def representative(capture: Capture) -> Capture:
    """Of kernels launched in many ways MOST_LAUNCHES, spread from the first to the last; a note says of which."""
    many = [kernel for kernel in capture.kernels if len(kernel.launches) > MOST_LAUNCHES]
    if not many:
        return capture
    notes = [
        f"{kernel.name}: {MOST_LAUNCHES} of {len(kernel.launches)} launches that differ in grid or arguments are "
        "here (--all-launches for all)"
        for kernel in many
    ]
    kernels = tuple(_thinned(kernel) if kernel in many else kernel for kernel in capture.kernels)
    return replace(capture, kernels=kernels, notes=(*capture.notes, *dict.fromkeys(notes)))


def _thinned(kernel: CompiledKernel) -> CompiledKernel:
    last = len(kernel.launches) - 1
    kept = [kernel.launches[index * last // (MOST_LAUNCHES - 1)] for index in range(MOST_LAUNCHES)]
    return replace(kernel, launches=tuple(kept))


def _listed(names: Sequence[str], patterns: Sequence[str]) -> str:
    """The names that look like what was asked for, then the others, as many as a line holds."""
    known = list(dict.fromkeys(names))
    near = [name for pattern in patterns for name in get_close_matches(pattern, known)]
    ordered = list(dict.fromkeys((*near, *known)))
    further = [f"{len(ordered) - _MOST_NAMES} more"] if len(ordered) > _MOST_NAMES else []
    return ", ".join((*ordered[:_MOST_NAMES], *further)) or "none"


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
