"""Loads and stores of one element in a loop: every warp does the work of a lane."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.steps import operation_of
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.model.types import TensorType

SCALAR = Rule(
    code="GI103",
    name="scalar-access",
    summary="A loop moves one element a step; load a tile instead.",
    what="A load or store of a scalar pointer runs more than once a program.",
    why=(
        "A scalar load is executed by every lane of every warp and brings one element; a scalar store by one "
        "lane of one warp. A loop over elements runs at a tenth of the bandwidth or less."
    ),
    how="Scalar accesses that are executed more often than there are programs; a note where tiles are as often.",
    not_modelled="Loads that the assembler hoists out of the loop.",
    bad="""
@gluon.jit
def kernel(src, dst, n):
    for i in range(0, n):
        gl.store(dst + i, gl.load(src + i))


src, dst = torch.empty(2, 4096, device="cuda")
kernel[(1,)](src, dst, 4096)
""",
    good="""
@gluon.jit
def kernel(src, dst, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.arange(0, 512, layout=layout)
    for start in range(0, n, 512):
        gl.store(dst + start + offsets, gl.load(src + start + offsets))


src, dst = torch.empty(2, 4096, device="cuda")
kernel[(1,)](src, dst, 4096)
""",
)
RULES = (SCALAR,)
_GLUON = "load a tile: gl.arange over a block with a BlockedLayout, and loop over blocks"
_TRITON = "load a tile: tl.arange over a block, and loop over blocks"


def run(facts: Facts) -> AnalysisResult:
    """One finding for each scalar access in a loop."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    programs = facts.programs.total
    for access in facts.accesses:
        if access.space is not Space.GLOBAL or access.shape or access.direction is Direction.ATOMIC:
            continue
        if not programs or access.executions is None or access.executions <= programs:
            continue
        severity = _severity(facts, access)
        yield Finding(
            id=f"{SCALAR.code}-{access.id}",
            rule=SCALAR.code,
            name=SCALAR.name,
            severity=severity,
            confidence=access.confidence,
            model=access.model,
            message=_message(access, access.executions / programs),
            location=access.location,
            evidence={"executions": access.executions, "programs": programs, "requests": access.requests},
            help=_TRITON if "ttir" in facts.kernel.stages else _GLUON,
            subject=access.id,
            cost=_waiting(facts) if severity is Severity.WARNING else None,
        )


def _severity(facts: Facts, access: Access) -> Severity:
    """A note where the loop has tiles too: then the scalar is an index, a scale, or the result of one."""
    if _is_beside_tiles(facts, access):
        return Severity.NOTE
    beside = (other.executions or 0 for other in facts.accesses if other.space is Space.GLOBAL and other.shape)
    return Severity.NOTE if max(beside, default=0) >= (access.executions or 0) else Severity.WARNING


def _is_beside_tiles(facts: Facts, access: Access) -> bool:
    """Whether the access's loop computes tensors."""
    op = operation_of(facts, access)
    loop = None if op is None or facts.graph is None else facts.graph.loop_of(op)
    if loop is None or facts.graph is None:
        return False
    return any(isinstance(each.type, TensorType) for op in facts.graph.within(loop) for each in op.results)


def _waiting(facts: Facts) -> float | None:
    """What a loop over elements loses is time to wait, which all of its accesses lose together."""
    return None if facts.cost is None else facts.cost.beyond_dram_fraction


def _message(access: Access, each: float) -> str:
    size = (access.element_bits or 0) // 8
    who = "one lane of one warp stores" if access.direction is Direction.STORE else "every warp loads"
    return f"{who} one element of {size} bytes, {each:,.6g} times a program"
