"""Which findings `--finding` and `--line` ask for, and what to say where there are none."""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.errors import UsageError
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport


def is_wanted(finding: Finding, wanted: str | None, line: int | None) -> bool:
    """Whether a finding has the id, rule or rule name, and stands at the line or is inlined there."""
    if wanted is not None and wanted not in (finding.id, finding.rule, finding.name):
        return False
    return line is None or line in _lines(finding)


def chosen(kernels: Sequence[KernelReport], wanted: str | None, line: int | None) -> tuple[KernelReport, ...]:
    """The kernels that have what was asked for; UsageError, with what there is, where none has."""
    if wanted is None and line is None:
        return tuple(kernels)
    fitting = tuple(each for each in kernels if any(is_wanted(f, wanted, line) for f in each.findings))
    if not fitting:
        raise UsageError(f"no finding {_asked(wanted, line)}", hint=_there_are(kernels))
    return fitting


def _asked(wanted: str | None, line: int | None) -> str:
    called = f"called {wanted!r}" if wanted is not None else ""
    return " ".join(filter(None, (called, f"at line {line}" if line is not None else "")))


def _there_are(kernels: Sequence[KernelReport]) -> str:
    found = {finding.id: _lines(finding) for kernel in kernels for finding in kernel.findings}
    shown = ", ".join(f"{each} (line {lines[-1]})" if lines else each for each, lines in found.items())
    return f"there are: {shown}" if shown else "there are no findings at all"


def _lines(finding: Finding) -> tuple[int, ...]:
    """The lines that a finding answers to: its own, and those that called it."""
    return () if finding.location is None else tuple(place.line for place in finding.location.chain)
