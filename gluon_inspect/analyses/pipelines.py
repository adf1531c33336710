"""Loops that copy by TMA: how many copies are under way at once, and loops in which only one ever is."""

from __future__ import annotations

from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.operations import operand
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Column, Finding, Rule, Scalar, Severity, Table
from gluon_inspect.model.location import Location
from gluon_inspect.traffic.bulk.pipelines import Stream, streams

SERIAL = Rule(
    code="GI504",
    name="single-buffered-copy",
    summary="A loop copies each tile into the one buffer that the tile before it is read from.",
    what=(
        "The allocation that a bulk copy (TMA) of a loop fills has room for no more tiles than one iteration "
        "copies. So a copy cannot begin before everything that reads the last tile has ended, and nothing can "
        "read before the copy has ended."
    ),
    why="Memory idles while the kernel computes, and the kernel waits a whole memory latency each iteration.",
    how=(
        "Buffers are followed through views, loops and partitions to their allocation. A loop that waits for its "
        "own copies has as many under way as were started before the wait; copies that another partition awaits "
        "are held back by their buffers alone."
    ),
    not_modelled=(
        "Whether other CTAs of the SM keep memory busy meanwhile: where several fit, the finding is a note. "
        "Allocations that loops carry from one iteration to the next are taken to be the first one."
    ),
    bad="""
@gluon.jit
def kernel(src, dst, count: gl.constexpr):
    tile = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    for i in range(count):
        # the store of the last tile must have ended before the next one may come
        mbarrier.expect(bar, src.block_type.nbytes)
        tma.async_load(src, [i * src.block_type.shape[0], 0], bar, tile)
        mbarrier.wait(bar, i & 1)
        tma.async_store(dst, [i * src.block_type.shape[0], 0], tile)
        tma.store_wait(0)
    mbarrier.invalidate(bar)


layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
src, dst = (
    TensorDescriptor.from_tensor(t, [64, 64], layout) for t in torch.empty(2, 512, 64, device="cuda").half()
)
kernel[(1,)](src, dst, 8)
""",
    good="""
@gluon.jit
def kernel(src, dst, count: gl.constexpr):
    tiles = gl.allocate_shared_memory(src.dtype, [2] + src.block_type.shape, src.layout)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    mbarrier.expect(bars.index(0), src.block_type.nbytes)
    tma.async_load(src, [0, 0], bars.index(0), tiles.index(0))
    for i in range(count):
        # the next tile comes while this one is stored
        tma.store_wait(0)
        following = (i + 1) & 1
        mbarrier.expect(bars.index(following), src.block_type.nbytes, pred=i + 1 < count)
        tma.async_load(
            src, [(i + 1) * src.block_type.shape[0], 0], bars.index(following), tiles.index(following),
            pred=i + 1 < count,
        )
        mbarrier.wait(bars.index(i & 1), i // 2 & 1)
        tma.async_store(dst, [i * src.block_type.shape[0], 0], tiles.index(i & 1))
    tma.store_wait(0)


layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
src, dst = (
    TensorDescriptor.from_tensor(t, [64, 64], layout) for t in torch.empty(2, 512, 64, device="cuda").half()
)
kernel[(1,)](src, dst, 8)
""",
)
RULES = (SERIAL,)


def run(facts: Facts) -> AnalysisResult:
    """A table of the loops' copies, and a finding for each that has one buffer; nothing without such loops."""
    found = () if facts.module is None else streams(facts.module)
    if not found:
        return AnalysisResult()
    findings = tuple(_finding(n, each, facts) for n, each in enumerate(found) if each.is_serial)
    return AnalysisResult(findings=findings, tables=(_table(found),))


def _finding(number: int, found: Stream, facts: Facts) -> Finding:
    record = next((each for each in facts.accesses if each.result_of == found.first.span.start), None)
    resident = None if facts.occupancy is None else facts.occupancy.ctas_per_sm
    others = f"; {resident} CTAs an SM may hide some of it" if resident is not None and resident > 1 else ""
    return Finding(
        id=f"{SERIAL.code}-{number}",
        rule=SERIAL.code,
        name=SERIAL.name,
        severity=Severity.NOTE if others else Severity.WARNING,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=(
            f"the loop{_at(found.loop.location)} copies into the buffer that it reads from: "
            f"no copy runs beside the work{others}"
        ),
        location=found.first.location,
        evidence={"slots": found.slots, "copies": found.copies, "in_flight": found.in_flight, "ctas": resident},
        help="allocate two tiles or more (`[stages] + shape`), and start the next copy before this one is awaited",
        subject="" if record is None else record.id,
    )


def _at(place: Location | None) -> str:
    return "" if place is None else f" of line {place.line}"


def _table(found: tuple[Stream, ...]) -> Table:
    columns = (
        Column("copy"),
        Column("loop"),
        Column("an iteration", "right"),
        Column("tiles that fit", "right"),
        Column("before the loop", "right"),
        Column("under way at most", "right"),
        Column("awaited by"),
    )
    rows = tuple(_row(each) for each in found)
    places = tuple(each.first.location for each in found)
    note = "counted as they stand in the code: each copy of an unrolled loop, none of inner loops"
    return Table("pipelines", "Bulk copies of loops", columns, rows, places, note)


def _awaited(found: Stream) -> str:
    if operand(found.first, "barrier") is None:
        return "a count of copies"
    return "the loop itself" if found.waits_itself else "code elsewhere"


def _row(found: Stream) -> tuple[Scalar, ...]:
    return (
        found.first.name.partition(".")[2],
        _at(found.loop.location).removeprefix(" of "),
        found.copies,
        found.slots,
        found.ahead,
        found.in_flight,
        _awaited(found),
    )
