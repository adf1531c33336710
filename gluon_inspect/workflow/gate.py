"""When a report fails: the exit code from `--fail-on`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gluon_inspect.errors import UsageError
from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.report import Report

CLEAN, FOUND, BROKEN = 0, 1, 2
_NEVER = "never"
_ORDER = (Severity.NOTE, Severity.WARNING, Severity.ERROR)
_RULE = re.compile(r"GI\d{3}|[a-z]+(?:-[a-z]+)+")


@dataclass(frozen=True, slots=True)
class Gate:
    """Fails on findings at or above `severity` (None: on none by severity) and on those of `rules`."""

    severity: Severity | None = Severity.ERROR
    rules: frozenset[str] = frozenset()

    def stops(self, finding: Finding) -> bool:
        """Whether this finding fails the run."""
        if finding.rule in self.rules or finding.name in self.rules:
            return True
        return self.severity is not None and _ORDER.index(finding.severity) >= _ORDER.index(self.severity)

    def exit_code(self, report: Report) -> int:
        """2 for a kernel that could not be compiled or a script that raised, else 1 for findings, else 0."""
        if report.error is not None or any(kernel.kernel.error for kernel in report.kernels):
            return BROKEN
        stopped = any(self.stops(finding) for kernel in report.kernels for finding in kernel.findings)
        return FOUND if stopped else CLEAN


def parse_gate(text: str) -> Gate:
    """`error`, `warning`, `note`, `never`, or rules by code or name, or a list of these with commas."""
    severity: Severity | None = None
    rules: set[str] = set()
    for word in filter(None, (part.strip() for part in text.split(","))):
        if word in (member.value for member in Severity):
            named = Severity(word)
            severity = named if severity is None else min(named, severity, key=_ORDER.index)
        elif _RULE.fullmatch(word):
            rules.add(word)
        elif word != _NEVER:
            hint = "error, warning, note, never, or rules such as GI101 or uncoalesced-access"
            raise UsageError(f"--fail-on: {word!r} is neither a severity nor a rule", hint=hint)
    return Gate(severity, frozenset(rules))
