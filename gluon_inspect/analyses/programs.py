"""Launches that leave SMs without work: fewer programs than SMs, or a last wave that is nearly empty."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from gluon_inspect.axis.weak_arguments import pointers_behind
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.ir.graph import LOOP_BOUNDS, Graph
from gluon_inspect.ir.operations import operand, row_of, scf, tt
from gluon_inspect.model.access import Direction
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.model.mlir import Operation

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
    at_once = sms * max(1, facts.occupancy.ctas_per_sm) if facts.occupancy else sms
    if programs < sms:
        message = f"{programs} programs for {sms} SMs: {sms - programs} have nothing to do"
        if _may_depend(facts):
            return
        # a loop gives work to as many programs as it has trips
        used = max(programs / sms, 1 / _trips(facts))
        lost, advice = _lost(cost, used, used), _share(facts, at_once)
    elif at_once < programs < _MOST_WAVES * at_once:
        last = programs - (ceil(programs / at_once) - 1) * at_once
        message = f"the last of {ceil(programs / at_once)} waves has {last} programs where {at_once} run at once"
        finer, used = _used(2 * programs, at_once), _used(programs, at_once)
        lost = _lost(cost, used / finer, _used(programs, sms) / _used(2 * programs, sms))
        advice = (
            f"tiles or shares half as large: {2 * programs:,} programs fill {finer:.0%} of their "
            f"{ceil(2 * programs / at_once)} waves, these {used:.0%}"
        )
    else:
        return
    severity = severity_of(lost, Severity.NOTE)
    if lost >= _LEAST and severity is not Severity.NOTE:
        yield _finding(facts, message, severity, lost, programs, advice)


_LEAST = 1.0 - _NEARLY_ALL


def _used(programs: int, at_once: int) -> float:
    """Share of the places that programs of equal length fill, until the last of them ends."""
    return programs / at_once / ceil(programs / at_once)


def _lost(cost: KernelCost, waiting: float, working: float) -> float:
    """Share of the time that goes if all SMs share the work of those that have some.

    `waiting`: what becomes of the time in which programs wait, which depends on how many waves they make;
    `working`: of that in which an SM's units work, which depends on the programs that the fullest SM gets.
    """
    slowest = max(cost.parts.values())
    spread = max(seconds * _becomes(name, waiting, working) for name, seconds in cost.parts.items())
    return (slowest - spread) / cost.seconds if slowest else 0.0


def _becomes(name: Resource, waiting: float, working: float) -> float:
    if name is Resource.LATENCY:
        return min(1.0, waiting)
    return min(1.0, working) if name in _INSIDE else 1.0


def _share(facts: Facts, at_once: int) -> str:
    """How the loop's work goes to more programs: by how its turns are handed out, and what it carries."""
    loop = _first_loop(facts)
    if loop is None or facts.graph is None:
        return f"{_OUT}, or use smaller tiles"
    if _takes_turns(loop, facts.graph):
        return f"launch {min(at_once, _turns(facts)):,} programs: the loop takes tiles in turns of as many"
    needed = any(facts.graph.users.get(result.index) for result in loop.results)
    if needed:
        return f"{_OUT}, or use smaller tiles"
    return "share this loop out over more programs: no iteration needs another's result"


def _trips(facts: Facts) -> float:
    return max(1.0, facts.loops[0].trips or _MANY)


def _may_depend(facts: Facts) -> bool:
    """Whether iterations hand something on by memory: the loop stores to what it loads from."""
    loop, graph = _first_loop(facts), facts.graph
    if loop is None or graph is None:
        return False
    moved: dict[bool, set[int]] = {True: set(), False: set()}
    for op in graph.within(loop):
        lanes, pointer = row_of(op).lanes, operand(op, "ptr")
        if lanes is not None and pointer is not None:
            moved[lanes.direction is Direction.STORE] |= {each.index for each in pointers_behind(pointer, graph)}
    return bool(moved[True] & moved[False])


def _turns(facts: Facts) -> int:
    """Iterations that all programs make of their first loop, or a large number where unknown."""
    trips = facts.loops[0].trips
    return _MANY if trips is None else max(1, round(trips * (facts.programs.total or 1)))


_MANY = 1 << 30


def _first_loop(facts: Facts) -> Operation | None:
    if facts.graph is None:
        return None
    return next((op for op in facts.graph.operations if row_of(op).loop), None)


def _takes_turns(loop: Operation, graph: Graph) -> bool:
    """Whether the loop moves on by the number of programs."""
    if row_of(loop) is not scf.FOR:
        return False
    step = graph.behind((loop.operands[LOOP_BOUNDS - 1],), lambda _: True)
    return any((maker := graph.maker(each)) and row_of(maker) is tt.GET_NUM_PROGRAMS for each in step)


def _finding(facts: Facts, message: str, severity: Severity, lost: float, programs: int, advice: str) -> Finding:
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
        help=advice,
        cost=lost,
    )


_OUT = "share this loop out over more programs (each a part of it, results combined by atomics or a second kernel)"
