"""Shared memory accesses that conflict on its banks, with the lanes that collide and a layout that is free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import AnalysisResult, Column, Finding, Rule, Severity, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import MemDescType
from gluon_inspect.traffic.shared.collisions import Collision, degree, worst_phase
from gluon_inspect.traffic.shared.lowering import matrix_support
from gluon_inspect.traffic.shared.operations import SharedOperation
from gluon_inspect.traffic.shared.search import Costed, suggest
from gluon_inspect.traffic.shared.steps import add_up
from gluon_inspect.traffic.shared.transfer import Transfer

_SERIOUS = 1.5
"""Wavefronts over ideal from which conflicts are worth a warning."""
_SHOWN_BANKS = 4
_COPY_BITS = 32
_TMA_LAYOUT = "NVMMASharedLayout"

CONFLICT = Rule(
    code="GI201",
    name="bank-conflict",
    summary="Lanes of a warp want different words of one bank of shared memory and wait for each other.",
    what=(
        "Shared memory has 32 banks of 4 bytes. A warp's access is served in phases (all lanes up to 4 bytes a "
        "lane, half a warp at 8, a quarter at 16); in each, every bank gives one word a wavefront. AMD's LDS has "
        "32 banks (64 on gfx950 and gfx1250) and serves groups of lanes that depend on the instruction."
    ),
    why="An n-way conflict takes n wavefronts where one would do, and shared memory serves one a clock and SM.",
    how=(
        "From the register layout and the shared layout follow the instructions (their width, ldmatrix or not) "
        "and the address of every lane; the counts equal an H200's per-instruction counters; those of AMD rest "
        "on published measurements, and no card was at hand. The suggested layout is found by trying swizzles "
        "and paddings with the same model, for all uses of the buffer at once. Severity follows the time that is "
        f"predicted to be lost: {THRESHOLDS}. Without a launch: a warning from half as many wavefronts again on."
    ),
    not_modelled=(
        "Arbitration between warps, which a profiler's aggregate bank_conflicts counters include: a layout "
        "without conflicts can show thousands there. Compare wavefronts of instructions instead."
    ),
    bad="""
@gluon.jit
def kernel(src, dst):
    # stored by rows, loaded by columns: 32 lanes want the same bank
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])
    plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(src.dtype.element_ty, [64, 64], plain)
    tile.store(gl.load(src + x[:, None] * 64 + y[None, :]))
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, columns))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, columns))
    gl.store(dst + u[:, None] + v[None, :] * 64, tile.load(columns))


src, dst = torch.empty(2, 64 * 64, device="cuda")
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    # the row's number moves its columns, so that a column spreads over all banks
    rows: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])
    swizzled: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 32, [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(src.dtype.element_ty, [64, 64], swizzled)
    tile.store(gl.load(src + x[:, None] * 64 + y[None, :]))
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, columns))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, columns))
    gl.store(dst + u[:, None] + v[None, :] * 64, tile.load(columns))


src, dst = torch.empty(2, 64 * 64, device="cuda")
kernel[(1,)](src, dst)
""",
)
RULES = (CONFLICT,)


@dataclass(frozen=True, slots=True)
class _Place:
    """An access with conflicts, its operation, the transfer that conflicts most, and its wavefronts.

    They are of the whole launch, or of one execution in one CTA where `once`.
    """

    access: Access
    op: Operation
    transfer: Transfer | None
    wavefronts: int
    ideal: int
    once: bool
    confidence: Confidence


def run(facts: Facts) -> AnalysisResult:
    """A finding for each access with conflicts, and a table of who collides on what."""
    places = [_place(access, facts.shared_operation(access)) for access in facts.accesses if _may_conflict(access)]
    found = [place for place in places if place is not None]
    findings = tuple(_finding(facts, place) for place in found)
    tables = (_table(found),) if any(place.transfer is not None for place in found) else ()
    return AnalysisResult(findings=findings, tables=tables)


def _may_conflict(access: Access) -> bool:
    if access.space is not Space.SHARED:
        return False
    if access.direction is Direction.COPY:
        # narrower copies do not compile, and without addresses nothing is known of the others
        return (access.vector_bits or 0) >= _COPY_BITS and access.wavefronts is not None
    return access.wavefronts is None or access.wavefronts > (access.wavefronts_ideal or 0)


def _place(access: Access, operation: SharedOperation | None) -> _Place | None:
    if operation is None:
        return None
    lowering = operation.lowering
    steps = lowering.of(store=access.direction is not Direction.LOAD)
    transfers = [step.transfer for step in steps if isinstance(step.transfer, Transfer)]
    worst = max(transfers, key=lambda t: t.cost().total - t.cost().total_ideal, default=None)
    wavefronts, ideal, once = access.wavefronts, access.wavefronts_ideal, False
    confidence = access.confidence
    if wavefronts is None or ideal is None:
        totals, once = add_up(steps), True
        confidence = Confidence.ASSUMED if lowering.assumed else Confidence.EXACT
        wavefronts, ideal = round(totals.wavefronts or 0), round(totals.wavefronts_ideal or 0)
    if not steps or not ideal or wavefronts <= ideal:
        return None
    if access.direction is Direction.COPY and (worst is None or degree(worst) == 1):
        return None  # what it waits for is global memory
    return _Place(access, operation.op, worst, wavefronts, ideal, once, confidence)


def _finding(facts: Facts, place: _Place) -> Finding:
    access = place.access
    ways = 1 if place.transfer is None else degree(place.transfer)
    collisions = () if place.transfer is None else worst_phase(place.transfer)
    now, best = _searched(facts, place.op)
    # a buffer of the compiler's own for which nothing better was found is counted
    fixed = "ttir" in facts.kernel.stages and not _helps(now, best)
    unpredicted = Severity.WARNING if place.wavefronts >= _SERIOUS * place.ideal else Severity.NOTE
    return Finding(
        id=f"{CONFLICT.code}-{access.id}",
        rule=CONFLICT.code,
        name=CONFLICT.name,
        severity=Severity.NOTE if fixed else severity_of(facts.lost_fraction(access.id), unpredicted),
        confidence=place.confidence,
        model=access.model,
        message=_message(place, ways, collisions),
        location=access.location,
        evidence={
            "wavefronts": place.wavefronts,
            "wavefronts_ideal": place.ideal,
            "degree": ways,
            "vector_bits": access.vector_bits,
            "layout": access.layout,
            "memory_layout": access.memory_layout,
            **_better(now, best),
        },
        help="the compiler chose this buffer's layout" if fixed else _help(now, best, access),
        subject="" if fixed else access.id,
    )


def _searched(facts: Facts, op: Operation) -> tuple[Costed | None, Costed | None]:
    if facts.graph is None:
        return None, None
    return suggest(facts.graph, _buffer(op), matrix_support(facts.target), facts.version)


def _buffer(op: Operation) -> int:
    """The shared buffer that an operation names: an operand, or what an allocation makes."""
    named = (value for value in (*op.operands, *op.results) if isinstance(value.type, MemDescType))
    return next((value.index for value in named), -1)


def _message(place: _Place, ways: int, collisions: tuple[Collision, ...]) -> str:
    access = place.access
    word = {"store": "stores", "load": "loads", "copy": "copies"}.get(access.direction.value, "accesses")
    span = " a CTA each time it runs" if place.once else ""
    does = f"{access.op} {word} with {place.wavefronts:,} wavefronts{span} where {place.ideal:,} would do"
    if ways == 1 and not collisions:
        return f"{does}: no lanes collide, but each instruction fills only a part of the banks"
    text = f"{ways}-way bank conflict: {does}"
    if not collisions:
        return text
    worst = collisions[0]
    lanes = ", ".join(str(lanes[0]) for _, lanes in worst.words[:_SHOWN_BANKS])
    more = ", …" if worst.degree > _SHOWN_BANKS else ""
    return f"{text}; lanes {lanes}{more} want different words of bank {worst.bank}"


def _helps(now: Costed | None, best: Costed | None) -> bool:
    return best is not None and (now is None or best.wavefronts < now.wavefronts)


def _better(now: Costed | None, best: Costed | None) -> dict[str, str | int | None]:
    """The buffer's layout and a better one with the wavefronts of all uses, one CTA; None where there is none."""
    helps = _helps(now, best)
    return {
        "suggestion": _written(best) if helps else None,
        "suggestion_wavefronts": best.wavefronts if best is not None and helps else None,
        "buffer_layout": _written(now),
        "buffer_wavefronts": None if now is None else now.wavefronts,
    }


def _written(best: Costed | None) -> str | None:
    return None if best is None else write_layout(best.encoding)


def _help(now: Costed | None, best: Costed | None, access: Access) -> str:
    if best is None or not _helps(now, best):
        if access.memory_layout == "conversion scratch":
            return "the compiler chooses this scratch; only other register layouts change it"
        if access.memory_layout.startswith(_TMA_LAYOUT):
            return "try another swizzle_byte_width (up to 128) in the descriptor's layout, in which TMA writes"
        if best is None:
            return "no layout was searched: more than loads and stores of whole tiles depends on this buffer's"
        return "no swizzle or padding serves all uses of this buffer better; change a register layout"
    before = "" if now is None else f" instead of {now.wavefronts}"
    rest = "free of conflicts" if best.is_free else "the best that was found"
    return f"{_written(best)}: {best.wavefronts} wavefronts a program for all uses{before}, {rest}"


def _table(places: list[_Place]) -> Table:
    columns = (Column("access"), Column("bank", "right"), Column("byte", "right", "B"), Column("lanes"))
    rows: list[tuple[str | int, ...]] = []
    locations: list[Location | None] = []
    for place in places:
        for collision in worst_phase(place.transfer)[:1] if place.transfer is not None else ():
            for row in _rows(place.access, collision):
                rows.append(row)
                locations.append(place.access.location)
    return Table("bank-conflicts", "Who collides on which bank", columns, tuple(rows), tuple(locations), _NOTE)


_NOTE = "the busiest bank of the costliest phase of the costliest request; bytes from the buffer's start"


def _rows(access: Access, collision: Collision) -> Iterator[tuple[str | int, ...]]:
    for at, lanes in collision.words:
        yield f"{access.op} ({access.id})", collision.bank, at, ", ".join(map(str, lanes))
