"""Budgets: a project's own limits, told as findings so that every format and the gate know them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.change import Comparison
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import ExampleLanguage, Finding, Rule, Scalar, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.project.configuration import TIME_RATIO, Budget
from gluon_inspect.project.quantities import PREDICTED_TIME
from gluon_inspect.wording.numbers import plain

OVER_BUDGET = Rule(
    code="GI901",
    name="over-budget",
    summary="A number is beyond the limit that the project's configuration sets.",
    what="Each `[[budget]]` of the configuration names kernels, targets and limits; a limit passed is a finding.",
    why="A limit that was agreed on once should not be passed unseen.",
    how="The numbers of the report are compared with the limits. A number that is unknown is told as a note.",
    not_modelled="Whether the limit is a sensible one.",
    bad="""
# no kernel gets by with one register a thread
[[budget]]
kernel = "*"
registers = 1
""",
    good="""
# what the hardware has at most
[[budget]]
kernel = "*"
registers = 255
""",
    example_language=ExampleLanguage.CONFIGURATION,
)
_AT_LEAST = frozenset({"occupancy"})
Measured = tuple[float | None, Location | None, Confidence]
_UNKNOWN: Measured = (None, None, Confidence.UNKNOWN)


def with_budgets(report: Report, budgets: tuple[Budget, ...]) -> Report:
    """The report with a finding for each limit passed, and a note for each number that is unknown.

    Limits on the time over the baseline's are `with_time_budgets`'s.
    """
    kernels = (_with(kernel, _findings(kernel, budgets)) for kernel in report.kernels)
    return replace(report, kernels=tuple(kernels)) if budgets else report


def with_time_budgets(report: Report, budgets: tuple[Budget, ...]) -> Report:
    """The report with a finding for each kernel that is predicted to be too slow against the baseline."""
    comparison = report.comparison
    if comparison is None or not any(TIME_RATIO in budget.limits for budget in budgets):
        return report
    found = [tuple(_time_findings(kernel, comparison, budgets)) for kernel in report.kernels]
    kernels = tuple(_with(kernel, new) for kernel, new in zip(report.kernels, found, strict=True))
    worse = {(index, finding.id) for index, new in enumerate(found) for finding in new}
    return replace(report, kernels=kernels, comparison=replace(comparison, worse=comparison.worse | worse))


def _with(kernel: KernelReport, findings: Iterable[Finding]) -> KernelReport:
    return replace(kernel, findings=kernel.findings + tuple(findings))


def _applying(kernel: KernelReport, budgets: tuple[Budget, ...]) -> Iterator[tuple[int, Budget]]:
    for index, budget in enumerate(budgets):
        if fnmatchcase(kernel.name, budget.kernel) and fnmatchcase(kernel.kernel.target, budget.target):
            yield index, budget


def _findings(kernel: KernelReport, budgets: tuple[Budget, ...]) -> Iterator[Finding]:
    for index, budget in _applying(kernel, budgets):
        for key, limit in budget.limits.items():
            if key != TIME_RATIO:
                yield from _checked(key, limit, index, _measured(kernel, key))


def _time_findings(kernel: KernelReport, comparison: Comparison, budgets: tuple[Budget, ...]) -> Iterator[Finding]:
    for index, budget in _applying(kernel, budgets):
        if TIME_RATIO in budget.limits:
            yield from _checked(TIME_RATIO, budget.limits[TIME_RATIO], index, _time_ratio(kernel, comparison))


def _checked(key: str, limit: float, index: int, measured: Measured) -> Iterator[Finding]:
    value, location, confidence = measured
    if value is None:
        yield _finding(
            f"{key} is unknown and has a limit of {plain(limit)}", key, index, Severity.NOTE, confidence
        )
    elif (value < limit) if key in _AT_LEAST else (value > limit):
        side = "below" if key in _AT_LEAST else "above"
        message = f"{key} is {plain(value)}, {side} the limit of {plain(limit)}"
        evidence = {"value": value, "limit": limit}
        yield _finding(message, key, index, Severity.ERROR, confidence, location, evidence)


def _finding(
    message: str,
    key: str,
    index: int,
    severity: Severity,
    confidence: Confidence,
    location: Location | None = None,
    evidence: Mapping[str, float] | None = None,
) -> Finding:
    return Finding(
        id=f"{OVER_BUDGET.code}-{index}-{key}",
        rule=OVER_BUDGET.code,
        name=OVER_BUDGET.name,
        severity=severity,
        confidence=confidence,
        model=ModelStatus.DOCUMENTED,
        message=message,
        location=location,
        evidence=dict(evidence or {}),
        help="change the kernel, or the limit in the project's configuration",
    )


def _measured(kernel: KernelReport, key: str) -> Measured:
    match key:
        case "sectors-per-request":
            return _worst_request(kernel)
        case "registers":
            return _exact(kernel.registers.per_thread)
        case "spill-bytes":
            return _exact(kernel.registers.spill_bytes)
        case "shared-bytes":
            return _exact(kernel.shared_bytes)
        case "occupancy":
            return _exact(kernel.occupancy.fraction if kernel.occupancy else None)
        case _:
            return _exact(sum(_is_scalar_load(access) for access in kernel.accesses))


def _exact(value: float | None) -> Measured:
    return value, None, Confidence.UNKNOWN if value is None else Confidence.EXACT


def _time_ratio(kernel: KernelReport, comparison: Comparison) -> Measured:
    """Predicted time over the baseline's; exactly 1 where both are known and no change is told."""
    if not any(metric.key == PREDICTED_TIME and metric.value is not None for metric in kernel.metrics):
        return _UNKNOWN
    for change in comparison.changes:
        if (change.kernel, change.target, change.key) == (kernel.name, kernel.kernel.target, PREDICTED_TIME):
            return _ratio(change.before, change.after)
    return 1.0, None, Confidence.ASSUMED


def _ratio(before: Scalar, after: Scalar) -> Measured:
    match before, after:
        case (int() | float(), int() | float()) if before:
            return after / before, None, Confidence.ASSUMED
        case _:
            return _UNKNOWN


def _worst_request(kernel: KernelReport) -> Measured:
    known = [access for access in kernel.accesses if access.space is Space.GLOBAL and access.sectors_per_request]
    if not known:
        return _UNKNOWN
    worst = max(known, key=lambda access: access.sectors_per_request or 0.0)
    return worst.sectors_per_request, worst.location, worst.confidence


def _is_scalar_load(access: Access) -> bool:
    in_global = access.space in (Space.GLOBAL, Space.SCALAR)
    return in_global and access.direction is Direction.LOAD and not access.shape
