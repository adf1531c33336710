"""When a report fails: the exit code from `--fail-on`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from gluon_inspect.errors import UsageError
from gluon_inspect.model.change import Comparison
from gluon_inspect.model.finding import Finding, Rule, Severity
from gluon_inspect.model.report import Report

Json = Mapping[str, Any]
CLEAN, FOUND, BROKEN = 0, 1, 2
FAULT = 70
"""The tool itself failed somewhere (sysexits.h, EX_SOFTWARE): what is said of the input is not whole."""
_NEVER = "never"
_ORDER = (Severity.NOTE, Severity.WARNING, Severity.ERROR)


@dataclass(frozen=True, slots=True)
class Gate:
    """Fails on findings at or above `severity` (None: on none by severity) and on those of `rules`."""

    severity: Severity | None = Severity.ERROR
    rules: frozenset[str] = frozenset()

    def stops(self, rule: str, name: str, severity: Severity) -> bool:
        """Whether a finding of this rule (code and name) and severity fails the run."""
        if rule in self.rules or name in self.rules:
            return True
        return self.severity is not None and _ORDER.index(severity) >= _ORDER.index(self.severity)

    def exit_code(self, report: Report) -> int:
        """70 for a fault of the tool, else 2 for a kernel that could not be compiled or read, or a script that
        raised, else 1 for findings, else 0.

        Against a baseline only findings that got worse count.
        """
        if any(kernel.faults for kernel in report.kernels):
            return FAULT
        if report.error is not None or any(kernel.kernel.error or kernel.unread for kernel in report.kernels):
            return BROKEN
        return FOUND if any(self.stops(one.rule, one.name, one.severity) for one in _counted(report)) else CLEAN

    def exit_code_of(self, document: Json, comparison: Comparison) -> int:
        """The same for a report in its JSON form, by what got worse."""
        kernels = cast("list[Json]", document["kernels"])
        if any(kernel.get("faults") for kernel in kernels):
            return FAULT
        if document.get("error") or any(kernel.get("error") for kernel in kernels):
            return BROKEN
        counted = (
            finding
            for index, kernel in enumerate(kernels)
            for finding in kernel["findings"]
            if (index, finding["id"]) in comparison.worse
        )
        stopped = any(self.stops(one["rule"], one["name"], Severity(one["severity"])) for one in counted)
        return FOUND if stopped else CLEAN


def _counted(report: Report) -> Iterator[Finding]:
    worse = report.comparison.worse if report.comparison else None
    for index, kernel in enumerate(report.kernels):
        for finding in kernel.findings:
            if worse is None or (index, finding.id) in worse:
                yield finding


def known_rules() -> tuple[Rule, ...]:
    """The rules of all analyses and of the budgets, by code."""
    from gluon_inspect.pipeline import all_rules
    from gluon_inspect.project.budgets import OVER_BUDGET

    return tuple(sorted((*all_rules(), OVER_BUDGET), key=lambda rule: rule.code))


def _is_rule(word: str) -> bool:
    return any(word in (rule.code, rule.name) for rule in known_rules())


def parse_gate(text: str) -> Gate:
    """`error`, `warning`, `note`, `never`, or rules by code or name, or a list of these with commas."""
    severity: Severity | None = None
    rules: set[str] = set()
    for word in filter(None, (part.strip() for part in text.split(","))):
        if word in (member.value for member in Severity):
            named = Severity(word)
            severity = named if severity is None else min(named, severity, key=_ORDER.index)
        elif _is_rule(word):
            rules.add(word)
        elif word != _NEVER:
            hint = "error, warning, note, never, or rules such as GI101; `gluon-inspect rules` lists them"
            raise UsageError(f"--fail-on: {word!r} is neither a severity nor a rule", hint=hint)
    return Gate(severity, frozenset(rules))
