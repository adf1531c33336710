"""What explain says first of a kernel, whether its layouts are to blame at all, and where its numbers end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gluon_inspect.explaining.causes import RESOURCES, scratch
from gluon_inspect.explaining.translated import as_translated
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.numbers import percent, plural
from gluon_inspect.wording.verdict import needed_share, without_ir

_WELL = 0.95
"""Share of needed sectors from which layouts have nothing left to gain."""
_LOW_OCCUPANCY = 0.5
_AT_ENDS = (
    "no access is bad enough for a finding. Rows that begin or end inside a sector cost as much, and aligned rows "
    "change that, not layouts"
)
_OF_LAYOUTS = ("GI101", "GI102", "GI2", "GI301", "GI4")


def verdict(report: KernelReport, findings: Sequence[Finding]) -> str:
    """Some sentences, without the last full stop."""
    if report.kernel.error and not findings:
        return f"it does not compile: {report.kernel.error.splitlines()[0]}"
    found, origin = _judged(report, findings), as_translated(report)
    return f"{found}. {origin[:1].upper()}{origin[1:]}" if origin else found


def _judged(report: KernelReport, findings: Sequence[Finding]) -> str:
    unknown = _unknown(report)
    if not findings:
        return f"{unknown}. {_clean(report)}" if unknown else _clean(report)
    worst = findings[0]
    where = f" at line {worst.location.author.line}" if worst.location else ""
    parts = [f"{plural(len(findings), 'finding')}; first of all {worst.name}{where}"]
    if all(finding.severity is Severity.NOTE for finding in findings):
        parts.append("nothing that costs much")
    if not any(finding.rule.startswith(_OF_LAYOUTS) for finding in report.findings):
        parts.append(f"the layouts are not the problem{_share_in_words(report)}")
    return ". ".join(filter(None, ("; ".join(parts), unknown)))


def _share_in_words(report: KernelReport) -> str:
    share = needed_share(report.accesses)
    return "" if share is None else f" ({percent(share)} of the sectors moved are needed)"


def _unknown(report: KernelReport) -> str:
    """Accesses at addresses that come from memory, as a sentence; empty without any."""
    unknown = [a for a in report.accesses if a.space is Space.GLOBAL and a.confidence is Confidence.UNKNOWN]
    if not unknown or report.launch.grid is None:
        return ""
    lines = sorted({access.location.author.line for access in unknown if access.location})
    places = f" at line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}" if lines else ""
    reasons = list(dict.fromkeys(access.reason for access in unknown if access.reason))
    why = f" ({reasons[0]})" if reasons else ""
    one = len(unknown) == 1
    return (
        f"the {'access' if one else 'accesses'}{places} cannot be known statically{why}; "
        f"measure {'it' if one else 'them'}: report --measure"
    )


def _clean(report: KernelReport) -> str:
    if not report.has_ir:
        return f"there is nothing to explain: {without_ir(report)}"
    share = needed_share(report.accesses)
    if share is None:
        return "no global access could be evaluated, so nothing can be said of its layouts"
    look = "; ".join(_elsewhere(report)) or "the number of instructions and the algorithm"
    of = " that are known" if _unknown(report) else ""
    judged = "nothing to gain in the layouts" if share >= _WELL else _AT_ENDS
    more = "".join(f". {text.rstrip('.')}" for text in scratch(report) if _is_low(report))
    return f"{percent(share)} of the sectors moved{of} are needed: {judged}; if it is slow, look at {look}{more}"


def _is_low(report: KernelReport) -> bool:
    return report.occupancy is not None and report.occupancy.fraction < _LOW_OCCUPANCY


def _elsewhere(report: KernelReport) -> Iterator[str]:
    """What else may be slow, from numbers that the report has."""
    if report.registers.spill_bytes:
        yield f"spills ({report.registers.spill_bytes} bytes a thread)"
    found = report.occupancy
    if found is not None and _is_low(report):
        limits = " and ".join(RESOURCES.get(name, name) for name in found.limited_by)
        yield f"occupancy ({percent(found.fraction)}, limited by {limits})"
    conflicts = sum((a.wavefronts or 0) - (a.wavefronts_ideal or 0) for a in report.accesses)
    if conflicts > 0:
        yield f"bank conflicts ({conflicts:,} wavefronts)"
    if report.cost is not None:
        yield f"what it waits for (expected: {report.cost.limiting.value})"


def limits(report: KernelReport) -> Iterator[str]:
    """Where the numbers end; nothing of a kernel that has none, since it does not compile."""
    if report.kernel.error:
        return
    if not report.has_ir:
        yield "explanations are of IR: give the script, or its .ttgir with --asm"
        return
    programs = report.programs
    if report.launch.grid is None or programs.total is None:
        yield "the grid is not given: nothing is counted for the whole launch"
    elif programs.evaluated != programs.total:
        yield f"{programs.evaluated or 0:,} of {programs.total:,} programs were evaluated and scaled"
    touching = [a for a in report.accesses if a.space is Space.GLOBAL]
    yield from _of_confidence(touching)
    if any(a.model is not ModelStatus.VALIDATED for a in touching):
        yield f"the model for {report.kernel.target} rests on documents, not on measured counters"
    if report.cost is not None:
        yield from report.cost.assumed
        reach = "" if report.cost.has_code else ", for memory alone: arithmetic is left out"
        yield f"times are a model's{reach}"
    yield "not modelled: TLB, DRAM pages and what other kernels leave in the caches"


def _of_confidence(touching: Sequence[Access]) -> Iterator[str]:
    found = {access.trust for access in touching}
    if Confidence.ASSUMED in found:
        yield "strides and addresses that were not given are assumed, aligned: give them with --arg and --grid"
    if Confidence.UNKNOWN in found:
        yield "some accesses depend on values in memory: measure them"
