"""From a kernel's report to its explanation: causes in order of cost, drawings, proposals, limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gluon_inspect.explaining.asked import is_wanted
from gluon_inspect.explaining.block_shape import block_shapes
from gluon_inspect.explaining.causes import advice
from gluon_inspect.explaining.counterfactual import WhatIf
from gluon_inspect.explaining.first_warp import draw
from gluon_inspect.explaining.paired import paired
from gluon_inspect.explaining.search import proposals
from gluon_inspect.explaining.shared_layout import shared_layouts
from gluon_inspect.explaining.translated import as_translated
from gluon_inspect.explaining.verdict import limits, verdict
from gluon_inspect.model.access import Access
from gluon_inspect.model.cost import Resource
from gluon_inspect.model.explanation import Explanation, KernelExplanation, Proposal
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport
from gluon_inspect.pipeline import all_rules
from gluon_inspect.wording.numbers import duration, percent

_ONE_CAUSE = frozenset({"GI101", "GI102"})
"""Two sides of one access: too many sectors, since its instructions are narrow."""


_NOTHING = 0.01
"""Share of the kernel's time below which an access is not counted among those that lose some."""
_SCALAR = "GI103"
"""What it loses is waiting, not a pattern of sectors."""


def explain(report: KernelReport, *, finding: str | None = None, line: int | None = None) -> KernelExplanation:
    """Explain a kernel's findings (one by its id, those of one line, or all), costliest first."""
    what_if = WhatIf(report)
    chosen = [f for f in report.findings if is_wanted(f, finding, line)]
    items = tuple(_items(what_if, chosen))
    found: tuple[Proposal, ...] = ()
    if chosen or as_translated(report):
        found = (*proposals(what_if), *shared_layouts(what_if, chosen), *paired(report, chosen))
    if what_if.base is not None and all(set(each.substitutions) == {"num_warps"} for each in found):
        # a number of warps helps a little where the tile lies across memory: the tile comes first
        tiles = block_shapes(report, chosen)
        found = (*(each for each in tiles if each.substitutions or not found), *found)
    return KernelExplanation(report, verdict(report, chosen), items, found, tuple(limits(report)))


def _items(what_if: WhatIf, findings: Sequence[Finding]) -> Iterator[Explanation]:
    """One item a cause; what a rule means and a drawing stand at the first item that has them."""
    whys = {rule.code: rule.why for rule in all_rules()}
    drawn: dict[tuple[str, ...], int] = {}
    said: dict[str, int] = {}
    for number, (first, also) in enumerate(_by_cause(findings), 1):
        access = _access(what_if, first)
        drawing = _drawing(what_if, access)
        same = drawn.setdefault(drawing, number) if drawing else number
        yield Explanation(
            finding=first,
            layout="" if access is None else access.layout,
            drawing=drawing if same == number else (),
            cost=_cost(what_if, access, first),
            advice=_once(advice(what_if.report, first, access), said, number),
            also=also,
            why=whys.pop(first.rule, ""),
            drawn_in=same if same != number else None,
        )


def _once(texts: Iterable[str], said: dict[str, int], number: int) -> tuple[str, ...]:
    """What an earlier item said already becomes a reference to it."""
    found = [(text, said.setdefault(text, number)) for text in texts]
    new = [text for text, at in found if at == number]
    before = sorted({at for _, at in found if at != number})
    return (*new, *(f"What to do: as in {at}." for at in before))


def _by_cause(findings: Sequence[Finding]) -> Iterator[tuple[Finding, tuple[Finding, ...]]]:
    groups: dict[str, list[Finding]] = {}
    for each in findings:
        joined = each.subject and each.rule in _ONE_CAUSE
        groups.setdefault(each.subject if joined else each.id, []).append(each)
    yield from ((first, tuple(also)) for first, *also in groups.values())


def _access(what_if: WhatIf, finding: Finding) -> Access | None:
    return next((access for access in what_if.report.accesses if access.id == finding.subject), None)


def _drawing(what_if: WhatIf, access: Access | None) -> tuple[str, ...]:
    evaluated = what_if.base
    seen = None if access is None or evaluated is None else evaluated.accesses.get(access.result_of)
    return () if seen is None else draw(seen)


def _cost(what_if: WhatIf, access: Access | None, finding: Finding) -> str:
    return "; ".join(filter(None, (_traffic(what_if, access), _lost(what_if.report, finding))))


def _traffic(what_if: WhatIf, access: Access | None) -> str:
    if access is None or access.sectors is None or access.sectors_ideal is None or access.requests is None:
        return ""
    moved = access.sectors * what_if.target.sector_bytes / 1e6
    enough = f" where {access.sectors_ideal:,} would do" if access.sectors_ideal < access.sectors else ""
    return f"{access.requests:,} requests move {access.sectors:,} sectors ({moved:,.1f} MB){enough}"


def _lost(report: KernelReport, finding: Finding) -> str:
    if report.cost is None:
        return ""
    if finding.rule == _SCALAR:
        bytes_alone = duration(report.cost.parts.get(Resource.DRAM))
        return f"the kernel is predicted to take {duration(report.cost.seconds)}, its bytes alone {bytes_alone}"
    if finding.cost is None:
        return ""
    of = f"of the kernel's {duration(report.cost.seconds)}"
    return f"predicted to lose {percent(finding.cost)} {of}{_together(report, finding)}"


def _together(report: KernelReport, finding: Finding) -> str:
    """What two accesses lose between them, where there are two: the cost model's losses are shares of that."""
    cost = report.cost
    losing = {
        access.id: access
        for access in report.accesses
        if cost is not None and (cost.lost_fraction(access.id) or 0.0) >= _NOTHING
    }
    own = losing.pop(finding.subject, None)
    if cost is None or own is None or len(losing) != 1:
        return ""
    (other,) = losing.values()
    lost = sum(cost.lost_fraction(each.id) or 0.0 for each in (own, other))
    where = f" at line {other.location.author.line}" if other.location else ""
    return (
        f", its share of the {percent(lost)} that it and the {other.direction}{where} lose together "
        f"({1 / (1 - lost):.2g}x with both mended)"
    )
