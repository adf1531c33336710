"""Loads of what the same program has loaded before, and could have kept."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.assembly.counts import on_lines_of
from gluon_inspect.cost.launch import share_saved
from gluon_inspect.cost.program import Act, work_of
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.asm import Instruction
from gluon_inspect.model.confidence import ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity

_MET = 0.9
_WHOLE = 0.9
_LEAST_BYTES = 512
_KEPT_BYTES = 64 << 10
"""What the registers of a program hold beside its work: a quarter of an SM's."""

REPEATED = Rule(
    code="GI107",
    name="repeated-load",
    summary="A program loads what an earlier load of its own has brought already.",
    what=(
        "Loads whose sectors an earlier load of the same program touched, in programs that touch no more than "
        f"{_KEPT_BYTES >> 10} KB by it: a row that is walked twice, first for its maximum and then for its values."
    ),
    why="The second time they come from a cache at best: requests, waits, and memory where the cache lost them.",
    how=(
        "The sectors of the first programs, load by load. What it loses is the expected time less that without "
        f"the load's instructions and traffic; severity follows: {THRESHOLDS}. Below 1%, and without a "
        "prediction, nothing is said."
    ),
    not_modelled="The registers that keeping the values takes.",
    bad="""
@gluon.jit
def kernel(src, dst, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    row, i = gl.program_id(0) * n, gl.arange(0, 512, layout=layout)
    most = gl.full([512], -float("inf"), gl.float32, layout)
    for start in range(0, n, 512):
        most = gl.maximum(most, gl.load(src + row + start + i))
    top = gl.max(most, 0)
    for start in range(0, n, 512):
        # the row again
        gl.store(dst + row + start + i, gl.load(src + row + start + i) - top)


src, dst = torch.empty(2, 2**26, device="cuda")
kernel[(2**13,)](src, dst, 2**13)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [8], [0])
    i = gl.program_id(0) * 8192 + gl.arange(0, 8192, layout=layout)
    value = gl.load(src + i)
    gl.store(dst + i, value - gl.max(value, 0))


src, dst = torch.empty(2, 2**26, device="cuda")
kernel[(2**13,)](src, dst, num_warps=8)
""",
)
RULES = (REPEATED,)


def run(facts: Facts) -> AnalysisResult:
    """One finding for each load that repeats an earlier one at a price."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    for access in facts.accesses:
        each = _bytes_of_a_program(facts, access)
        if each is None or not _LEAST_BYTES <= each <= _KEPT_BYTES:
            continue
        lost = _lost(facts, access)
        severity = severity_of(lost, Severity.NOTE)
        if severity is Severity.NOTE:
            continue
        yield Finding(
            id=f"{REPEATED.code}-{access.id}",
            rule=REPEATED.code,
            name=REPEATED.name,
            severity=severity,
            confidence=access.confidence,
            model=access.model if access.model is ModelStatus.UNVALIDATED else ModelStatus.DOCUMENTED,
            message=f"the program has loaded these {each:,.0f} bytes before, by another load",
            location=access.location,
            evidence={"bytes_of_a_program": round(each), "executions": access.executions},
            help=_help(facts, access, each),
            subject=access.id,
            cost=lost,
        )


def _bytes_of_a_program(facts: Facts, access: Access) -> float | None:
    """What each program loads again by it; None where it is no repetition."""
    seen, programs = access.locality, facts.programs.total
    if access.space is not Space.GLOBAL or access.direction is not Direction.LOAD or not access.shape:
        return None
    if seen is None or not programs or access.is_gather or seen.met_share < _MET:
        return None
    if (access.efficiency or 0.0) < _WHOLE:
        return None  # the same sectors, but other elements of them
    return seen.program_bytes / programs


def _help(facts: Facts, access: Access, each: float) -> str:
    trips = round((access.executions or 0) / max(1, facts.programs.total or 1))
    if trips > 1:
        whole = f"{each * 8 / (access.element_bits or 32):,.0f} elements"
        return f"one tile of {whole} instead of {trips} trips: load it once and keep it for both uses"
    return "keep the value of the earlier load"


def _lost(facts: Facts, access: Access) -> float | None:
    if access.location is None:
        return None
    is_here = on_lines_of([access.location], facts.kernel.source_file)

    def is_its_own(each: Instruction) -> bool:
        return is_here(each.location) and work_of(each.opcode).act is Act.LOAD

    return share_saved(facts, without=is_its_own, accesses=[each for each in facts.accesses if each is not access])
