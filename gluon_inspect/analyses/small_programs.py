"""Launches of so many small programs that starting them takes longer than what they do."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.wording.numbers import duration

_LEAST_WAVES = 4
"""Programs that an SM gets one after another, which are left when they are made larger."""
_MOST_TIMES = 64

SMALL = Rule(
    code="GI306",
    name="small-programs",
    summary="The grid has so many programs, each with so little to do, that starting them sets the time.",
    what="Kernels whose expected time is that of starting their programs, with many more programs than SMs.",
    why=(
        "The card hands out a program to an SM every few cycles; registers are set up, parameters read and the "
        "first addresses computed for each. A program of some hundred elements is over before its start pays."
    ),
    how=(
        "The time of all starts, by a rate that was measured, against the parts of the time that the work itself "
        "takes. What it loses is the difference, once each program does the work of as many as it takes "
        f"(2, 4, 8, …), with programs for all SMs left. Severity follows: {THRESHOLDS}. Below 1%, nothing is said."
    ),
    not_modelled="What larger tiles need in registers, and masked elements at their ends.",
    bad="""
@gluon.jit
def kernel(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [1], [0])
    i = gl.program_id(0) * 32 + gl.arange(0, 32, layout=layout)
    gl.store(dst + i, gl.load(src + i))


src, dst = torch.empty(2, 2**24, device="cuda")
kernel[(2**19,)](src, dst, num_warps=1)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.program_id(0) * 2048 + gl.arange(0, 2048, layout=layout)
    gl.store(dst + i, gl.load(src + i))


src, dst = torch.empty(2, 2**24, device="cuda")
kernel[(2**13,)](src, dst)
""",
)
RULES = (SMALL,)


def run(facts: Facts) -> AnalysisResult:
    """One finding for a launch whose programs start more slowly than they work."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    cost, total = facts.cost, facts.programs.total
    if cost is None or not total or cost.limiting is not Resource.STARTS:
        return
    times = _times(cost, total * (facts.num_ctas or 1), facts.target.sms)
    after = _seconds(cost, times)
    lost = 1.0 - after / cost.seconds if cost.seconds else 0.0
    severity = severity_of(lost, Severity.NOTE)
    if severity is Severity.NOTE:
        return
    yield Finding(
        id=SMALL.code,
        rule=SMALL.code,
        name=SMALL.name,
        severity=severity,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=(
            f"starting {total:,} programs takes {duration(cost.parts[Resource.STARTS])}, and what they do "
            f"{duration(_seconds(cost, _MOST_TIMES))}"
        ),
        location=_location(facts),
        evidence={"programs": total, "times": times},
        help=(
            f"let each program do the work of {times} (a larger block, or a loop over {times}): "
            f"{duration(after)} instead of {duration(cost.seconds)}"
        ),
        cost=lost,
    )


def _times(cost: KernelCost, programs: int, sms: int) -> int:
    """The fewest programs in one after which something else takes longer, with enough of them left."""
    times = 2
    while times < _MOST_TIMES and programs // (2 * times) >= _LEAST_WAVES * sms:
        if cost.parts[Resource.STARTS] / times <= _rest(cost):
            break
        times *= 2
    return times


def _seconds(cost: KernelCost, times: int) -> float:
    """Expected time with programs of `times` the work: starts are fewer, the rest of the work stays."""
    return max(cost.parts[Resource.STARTS] / times, _rest(cost)) + cost.seconds - max(cost.parts.values())


def _rest(cost: KernelCost) -> float:
    return max((each for name, each in cost.parts.items() if name is not Resource.STARTS), default=0.0)


def _location(facts: Facts) -> Location | None:
    return next((each.location for each in facts.accesses if each.location), None)
