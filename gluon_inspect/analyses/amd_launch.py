"""AMD: how a launch falls on the card's XCDs, their L2s and the MALL, and whether it fills the card.

Workgroups are dealt out to the XCDs in turn, one by one (CDNA 3 whitepaper; AMD's "Optimizing Triton kernels").
Neighbours in launch order, which share the most data, meet in no L2, unless the kernel remaps its program ids so
that each XCD gets a contiguous part. `distinct sectors` are counted from the addresses of the first programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Column, Finding, Rule, Scalar, Severity, Table

SMALL = Rule(
    code="GI507",
    name="grid-smaller-than-the-card",
    summary="The launch has fewer workgroups than the card has compute units, so that some of them idle.",
    what=(
        "A workgroup runs on one compute unit (RDNA: WGP) and never moves. With fewer workgroups than units, the "
        "others do nothing; a launch just above a multiple of them ends with one that is nearly empty."
    ),
    why="Idle units are lost in proportion: 128 workgroups on 304 units use 42% of an MI300X.",
    how="The recorded grid against the units of the target's reference card, and AMD's own advice for the card.",
    not_modelled="Other kernels that run at the same time.",
    bad="""
@triton.jit
def kernel(src, dst, BLOCK: tl.constexpr):
    # 16 workgroups of 64 K elements: 288 of 304 compute units idle
    at = tl.program_id(0) * BLOCK * 64 + tl.arange(0, BLOCK)
    for i in range(64):
        tl.store(dst + at + i * BLOCK, tl.load(src + at + i * BLOCK) + 1)


src, dst = torch.empty(2, 1 << 20, device="cuda")
kernel[(16,)](src, dst, 1024)
""",
    good="""
@triton.jit
def kernel(src, dst, BLOCK: tl.constexpr):
    # 1,024 workgroups of one block each
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + at, tl.load(src + at) + 1)


src, dst = torch.empty(2, 1 << 20, device="cuda")
kernel[(1024,)](src, dst, 1024)
""",
    example_target="hip:gfx942",
)
RULES = (SMALL,)
_WORTH_BYTES = 1 << 20
"""Launches that move less are over before the card is full, however they are cut."""


def run(facts: Facts) -> AnalysisResult:
    """A table of the launch on the card for AMD targets, and a finding where units idle."""
    if facts.target.backend != "hip" or facts.launch.grid is None:
        return AnalysisResult()
    return AnalysisResult(findings=tuple(_small(facts)), tables=(_table(facts),))


def _workgroups(facts: Facts) -> int:
    return prod(facts.launch.grid or ())


def _table(facts: Facts) -> Table:
    target, programs = facts.target, _workgroups(facts)
    rows: list[tuple[Scalar, ...]] = [
        ("workgroups", f"{programs:,}"),
        ("compute units (WGPs on RDNA)", f"{target.sms:,}"),
        ("workgroups a unit", f"{programs / target.sms:.2f}"),
    ]
    if target.workgroups_wanted:
        rows.append(("workgroups that AMD's guide wants at least", f"{target.workgroups_wanted:,}"))
    if target.xcds > 1:
        dealt = f"{min(programs, target.xcds)} of {target.xcds}, dealt out in turn"
        rows += [("XCDs that get workgroups", dealt), ("L2 a unit can hit", _bytes(target.l2_bytes_reached))]
    if target.last_level_bytes:
        rows.append(("MALL (Infinity Cache), shared by all", _bytes(target.last_level_bytes)))
    touched = _touched(facts)
    if touched is not None:
        rows.append(("bytes that the launch reads and writes, each counted once", _bytes(touched)))
        rows.append(("which fit", _fits(facts, touched)))
    columns = (Column("quantity"), Column("value", "right"))
    note = f"{target.reference_device}; workgroups go to the XCDs one by one" if target.xcds > 1 else ""
    return Table("amd_launch", "The launch on the card", columns, tuple(rows), (), note)


def _bytes(count: int) -> str:
    return f"{count / (1 << 20):.1f} MiB" if count >= 1 << 20 else f"{count:,} B"


def _touched(facts: Facts) -> int | None:
    plain = [
        each for each in facts.accesses if each.space is Space.GLOBAL and each.direction is not Direction.ATOMIC
    ]
    known = [each.bytes_unique for each in plain if each.bytes_unique is not None]
    return sum(known) if plain and len(known) == len(plain) else None


def _fits(facts: Facts, touched: int) -> str:
    target = facts.target
    if touched <= target.l2_bytes_reached:
        return "the L2 of one XCD" if target.xcds > 1 else "the L2"
    if touched <= target.last_level_bytes:
        return "the MALL, no L2 of one XCD" if target.xcds > 1 else "the Infinity Cache, not the L2"
    return "no cache"


def _moved(access: Access, facts: Facts) -> int:
    return 0 if access.space is not Space.GLOBAL else (access.sectors or 0) * facts.target.sector_bytes


def _small(facts: Facts) -> Iterator[Finding]:
    programs, target = _workgroups(facts), facts.target
    moved = sum(_moved(access, facts) for access in facts.accesses)
    if not 0 < programs < target.sms or moved < _WORTH_BYTES:
        return
    idle = target.sms - programs
    wanted = max(target.workgroups_wanted, target.sms)
    yield Finding(
        id=SMALL.code,
        rule=SMALL.code,
        name=SMALL.name,
        severity=Severity.NOTE,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=f"{programs} workgroups for the {target.sms} units of an {target.reference_device}: {idle} idle",
        evidence={"workgroups": programs, "units": target.sms, "wanted": wanted},
        help=f"smaller tiles, or the inner loop split over workgroups (split-K): {wanted:,} workgroups or more",
    )
