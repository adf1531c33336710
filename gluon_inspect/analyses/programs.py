"""Launches that leave SMs without work: fewer programs than SMs, or a last wave that is nearly empty."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity

_INSIDE = (
    Resource.LATENCY, Resource.ISSUE, Resource.FMA, Resource.ALU, Resource.SPECIAL, Resource.FP64, Resource.TENSOR,
    Resource.SHARED, Resource.L1, Resource.L2_PATH,
)  # fmt: skip
"""What each SM has of its own; the rest is shared, and full or not whatever SMs take part."""
_LONG_SECONDS = 20e-6
"""A kernel that is shorter is mostly its start and its first loads, which more programs do not shorten."""
_MOST_WAVES = 4
_NEARLY_ALL = 0.9
"""Share of the SMs' time that is used from which no other grid is worth its trouble."""

FEW = Rule(
    code="GI304",
    name="few-programs",
    summary="The grid leaves SMs without work for much of the time.",
    what=(
        "Fewer programs than SMs (AMD: compute units), or a last wave of programs that fills only a part of the "
        f"card, in kernels of more than {_LONG_SECONDS * 1e6:.0f} µs and loops that could be shared out."
    ),
    why="An SM without a program does nothing, and its registers, caches and ways to the memory lie idle with it.",
    how=(
        "Programs against SMs times the CTAs that fit one. What is lost is the time of the parts that each SM has "
        f"of its own, were its work spread over all SMs; shared parts (DRAM, L2) stay. Severity follows: "
        f"{THRESHOLDS}. Below 1%, and without a prediction, nothing is said."
    ),
    not_modelled="What it costs to combine partial results, where a loop is shared out over several programs.",
    bad="""
@gluon.jit
def kernel(src, dst, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.arange(0, 512, layout=layout)
    for start in range(0, n, 512):
        at = gl.program_id(0) * n + start + i
        gl.store(dst + at, gl.load(src + at))


src, dst = torch.empty(2, 8 * 2**20, device="cuda")
kernel[(8,)](src, dst, 2**20)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    at = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    gl.store(dst + at, gl.load(src + at))


src, dst = torch.empty(2, 8 * 2**20, device="cuda")
kernel[(2**14,)](src, dst)
""",
)
RULES = (FEW,)


def run(facts: Facts) -> AnalysisResult:
    """One finding for a launch that leaves SMs idle."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    cost, total, sms = facts.cost, facts.programs.total, facts.target.sms
    if cost is None or not total or not facts.loops or cost.seconds < _LONG_SECONDS:
        return
    programs = total * (facts.num_ctas or 1)
    resident = max(1, facts.occupancy.ctas_per_sm) if facts.occupancy else 1
    waves = programs / (sms * resident)
    if programs < sms:
        used, message = programs / sms, f"{programs} programs for {sms} SMs: {sms - programs} have nothing to do"
    elif 1 < waves < _MOST_WAVES and waves != ceil(waves):
        used = waves / ceil(waves)
        last = programs - (ceil(waves) - 1) * sms * resident
        message = f"the last of {ceil(waves)} waves has {last} programs where {sms * resident} run at once"
    else:
        return
    if used > _NEARLY_ALL:
        return
    lost = _lost(cost, used)
    severity = severity_of(lost, Severity.NOTE)
    if severity is not Severity.NOTE:
        yield _finding(facts, message, severity, lost, programs)


def _lost(cost: KernelCost, used: float) -> float:
    """Share of the time that goes if all SMs share the work of those that have some."""
    slowest = max(cost.parts.values())
    spread = max(seconds * (used if name in _INSIDE else 1.0) for name, seconds in cost.parts.items())
    return 1.0 - spread / slowest if slowest else 0.0


def _finding(facts: Facts, message: str, severity: Severity, lost: float, programs: int) -> Finding:
    few = programs < facts.target.sms
    return Finding(
        id=FEW.code,
        rule=FEW.code,
        name=FEW.name,
        severity=severity,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=message,
        location=facts.loops[0].location,
        evidence={"programs": programs, "sms": facts.target.sms},
        help=_SHARE if few else _WAVES,
        cost=lost,
    )


_SHARE = (
    "share this loop out over more programs (each a part of it, results combined by atomics or a second kernel), "
    "or use smaller tiles"
)
_WAVES = "smaller tiles, or as many programs as run at once that take tiles in turn (a persistent kernel)"
