"""From a kernel's report to its explanation: causes in order of cost, drawings, proposals, limits."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.explain.block_shape import block_shapes
from gluon_inspect.explain.counterfactual import WhatIf
from gluon_inspect.explain.first_warp import draw
from gluon_inspect.explain.search import proposals
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.explanation import Explanation, KernelExplanation, Proposal
from gluon_inspect.model.finding import Finding, Rule
from gluon_inspect.model.report import KernelReport
from gluon_inspect.pipeline import all_rules
from gluon_inspect.wording.numbers import percent, plural
from gluon_inspect.wording.verdict import needed_share

_WELL = 0.95
"""Share of needed sectors from which layouts have nothing left to gain."""


def explain(report: KernelReport, *, finding: str | None = None, line: int | None = None) -> KernelExplanation:
    """Explain a kernel's findings (one by its id, those of one line, or all), costliest first."""
    what_if = WhatIf(report)
    chosen = [f for f in report.findings if _is_wanted(f, finding, line)]
    items = tuple(_item(what_if, each) for each in chosen)
    found: tuple[Proposal, ...] = proposals(what_if) if chosen else ()
    if not found and what_if.base is not None:
        found = tuple(block_shapes(report, chosen))
    return KernelExplanation(report, _verdict(report, chosen), items, found, tuple(_limits(report)))


def _is_wanted(finding: Finding, wanted: str | None, line: int | None) -> bool:
    if wanted is not None:
        return wanted in (finding.id, finding.rule, finding.name)
    return line is None or (finding.location is not None and finding.location.line == line)


def _item(what_if: WhatIf, finding: Finding) -> Explanation:
    access = next((a for a in what_if.report.accesses if a.id == finding.subject), None)
    evaluated = what_if.base
    seen = None if access is None or evaluated is None else evaluated.accesses.get(access.result_of)
    rule = next((rule for rule in all_rules() if rule.code == finding.rule), None)
    return Explanation(
        finding=finding,
        layout="" if access is None else access.layout,
        drawing=() if seen is None else draw(seen),
        cost=_cost(access),
        advice=tuple(_advice(finding, rule)),
    )


def _cost(access: Access | None) -> str:
    if access is None or access.sectors is None or access.sectors_ideal is None or access.requests is None:
        return ""
    return (
        f"{access.requests:,} requests move {access.sectors:,} sectors "
        f"({access.sectors * 32 / 1e6:,.1f} MB) where {access.sectors_ideal:,} would do"
    )


def _advice(finding: Finding, rule: Rule | None) -> Iterator[str]:
    if rule is not None and rule.why:
        yield rule.why
    if finding.help:
        yield finding.help[0].upper() + finding.help[1:] + "."


def _verdict(report: KernelReport, findings: list[Finding]) -> str:
    if findings:
        worst = findings[0]
        where = f" at line {worst.location.line}" if worst.location else ""
        return f"{plural(len(findings), 'finding')}; first of all {worst.name}{where}"
    if report.findings:
        return "nothing of that kind was found"
    share = needed_share(report.accesses)
    unknown = [access for access in report.accesses if access.confidence is Confidence.UNKNOWN]
    if share is None:
        return "no global access could be evaluated, so nothing can be said of its layouts"
    rest = f"; {plural(len(unknown), 'access')} could not be known" if unknown else ""
    if share >= _WELL:
        look = ", ".join(_elsewhere(report)) or "instruction counts, occupancy and the algorithm"
        return (
            f"{percent(share)} of the sectors moved are needed: nothing to gain in the layouts{rest}; "
            f"if it is slow, look at {look}"
        )
    return f"{percent(share)} of the sectors moved are needed{rest}"


def _elsewhere(report: KernelReport) -> Iterator[str]:
    """What else may be slow, from numbers that the report has."""
    if report.registers.spill_bytes:
        yield f"spills ({report.registers.spill_bytes} bytes a thread)"
    if report.occupancy is not None and report.occupancy.fraction < 0.5:
        yield f"occupancy ({percent(report.occupancy.fraction)}, by {', '.join(report.occupancy.limited_by)})"
    conflicts = sum((a.wavefronts or 0) - (a.wavefronts_ideal or 0) for a in report.accesses)
    if conflicts > 0:
        yield f"bank conflicts ({conflicts:,} wavefronts)"


def _limits(report: KernelReport) -> Iterator[str]:
    """Where the numbers end."""
    programs = report.programs
    if programs.total is None:
        yield "the grid is not given: nothing is counted for the whole launch"
    elif programs.evaluated != programs.total:
        yield f"{programs.evaluated:,} of {programs.total:,} programs were evaluated and scaled"
    touching = [a for a in report.accesses if a.space is Space.GLOBAL]
    for confidence, text in (
        (Confidence.ASSUMED, "addresses of arguments that were not given are assumed to be aligned"),
        (Confidence.UNKNOWN, "some accesses depend on values in memory: measure them"),
    ):
        if any(a.confidence is confidence for a in touching):
            yield text
    if any(a.model is not ModelStatus.VALIDATED for a in touching):
        yield f"the model for {report.kernel.target} rests on documents, not on measured counters"
    yield "not modelled: TLB, DRAM pages and what other kernels leave in the caches"
