"""Even and odd elements that are loaded or stored apart: one access of both, and a split or a join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gluon_inspect.model.access import Access, Direction
from gluon_inspect.model.explanation import Effect, Proposal
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport

_INTERLEAVED = "GI104"
_PAIR = 2


def paired(report: KernelReport, findings: Sequence[Finding]) -> Iterator[Proposal]:
    """A proposal for all pairs of a plain kernel at once, since loads and stores may pay only together.

    Gluon's layouts would have to be chosen anew: nothing is proposed for them.
    """
    found = [(each, pair) for each in findings if (pair := _pair(report, each)) is not None]
    if "ttir" not in report.kernel.stages or not found:
        return
    lines = sorted({a.location.author.line for _, pair in found for a in pair if a.location is not None})
    has = {pair[0].direction for _, pair in found}
    yield Proposal(
        title=f"even and odd elements at once (lines {', '.join(map(str, lines))})",
        source=tuple(_SOURCE[each] for each in Direction if each in has and each in _SOURCE),
        effect=_effect(report, [each for each, _ in found]),
        pairs=tuple((first.id, second.id) for _, (first, second) in found),
        where=f"in {report.name}",
    )


_SOURCE = {
    Direction.LOAD: "even, odd = tl.split(tl.load(tl.expand_dims(pointers, -1) + tl.arange(0, 2)))",
    Direction.STORE: "tl.store(tl.expand_dims(pointers, -1) + tl.arange(0, 2), tl.join(even, odd))",
}


def _pair(report: KernelReport, finding: Finding) -> tuple[Access, Access] | None:
    """The two accesses of a finding, that of the lower address first."""
    ids = finding.evidence.get("accesses")
    if finding.rule != _INTERLEAVED or not isinstance(ids, tuple) or len(ids) != _PAIR:
        return None
    own = sorted((access for access in report.accesses if access.id in ids), key=_phase)
    return (own[0], own[1]) if len(own) == _PAIR else None


def _phase(access: Access) -> int:
    return (access.geometry.misalignment_bytes or 0) if access.geometry is not None else 0


def _effect(report: KernelReport, findings: Sequence[Finding]) -> Effect | None:
    """What the findings lose together, as they say; a compiled change knows better."""
    if report.cost is None or any(each.cost is None for each in findings):
        return None
    lost = min(sum(each.cost or 0.0 for each in findings), 0.99)
    return Effect(None, None, report.cost.seconds, report.cost.seconds * (1 - lost))
