"""Loads whose lanes all have one address: a scalar that is held as a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from gluon_inspect.assembly.counts import author_line
from gluon_inspect.cost.launch import share_saved
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.asm import Instruction
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity

ONE_ADDRESS = Rule(
    code="GI105",
    name="one-address",
    summary="All pointers of a load are equal: load a scalar.",
    what="A tensor of pointers whose strides are all zero in this launch, such as a scale for the whole tensor.",
    why=(
        "Every lane loads the same element, and holds a copy in a register for each element of the tensor: "
        "registers that a kernel with large tiles does not have."
    ),
    how=(
        "The strides of the evaluated addresses along each dimension. What it loses is the expected time less "
        f"that without the load's instructions; severity follows: {THRESHOLDS}. A warning where registers spill, "
        "or where no time is expected: what fewer registers give is not known then."
    ),
    not_modelled="The registers that a scalar frees.",
    bad="""
@gluon.jit
def kernel(src, scale, dst, n, stride):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    for start in range(0, n, 512):
        i = start + gl.arange(0, 512, layout=layout)
        # one scale for all rows: stride is 0
        gl.store(dst + i, gl.load(src + i) * gl.load(scale + i * stride))


src, dst = torch.empty(2, 2**16, device="cuda")
kernel[(1,)](src, src, dst, 2**16, 0)
""",
    good="""
@gluon.jit
def kernel(src, scale, dst, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    factor = gl.load(scale)
    for start in range(0, n, 512):
        i = start + gl.arange(0, 512, layout=layout)
        gl.store(dst + i, gl.load(src + i) * factor)


src, dst = torch.empty(2, 2**16, device="cuda")
kernel[(1,)](src, src, dst, 2**16)
""",
)
RULES = (ONE_ADDRESS,)


def run(facts: Facts) -> AnalysisResult:
    """One finding for each load of a tensor of equal pointers."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    for access in facts.accesses:
        if not _is_one_address(access):
            continue
        lost = None if facts.registers.spill_bytes else _lost(facts, access)
        count = prod(access.shape)
        spills = ", in a kernel whose registers spill" if facts.registers.spill_bytes else ""
        yield Finding(
            id=f"{ONE_ADDRESS.code}-{access.id}",
            rule=ONE_ADDRESS.code,
            name=ONE_ADDRESS.name,
            severity=severity_of(lost, Severity.WARNING),
            confidence=access.confidence,
            model=access.model,
            message=f"all {count:,} pointers of this load are equal: every lane loads and holds copies{spills}",
            location=access.location,
            evidence={"pointers": count, "executions": access.executions},
            help="load a scalar, which broadcasts for nothing: one pointer without the tensor of indices",
            subject="" if lost is None else access.id,
            cost=lost,
        )


def _is_one_address(access: Access) -> bool:
    found = access.geometry
    if access.space is not Space.GLOBAL or access.direction is not Direction.LOAD or found is None:
        return False
    if access.is_gather:
        return False  # equal for this data, if at all
    return prod(access.shape) > 1 and bool(access.shape) and all(
        stride == 0 or size == 1 for stride, size in zip(found.dim_strides_bytes, access.shape, strict=False)
    )  # fmt: skip


def _lost(facts: Facts, access: Access) -> float | None:
    if access.location is None:
        return None
    source = facts.kernel.source_file
    place = author_line(access.location, source)

    def is_its_own(each: Instruction) -> bool:
        if each.root != "LDG" or each.location is None:
            return False
        at = author_line(each.location, source)
        return (at.file, at.line, at.column) == (place.file, place.line, place.column)

    return share_saved(facts, without=is_its_own, accesses=[a for a in facts.accesses if a is not access])
