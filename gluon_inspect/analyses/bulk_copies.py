"""Bulk copies (TMA): boxes, buffers in flight, and clusters that read the same box more than once."""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.buffers import slots
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import operand
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.encodings import NvmmaSharedEncoding
from gluon_inspect.model.finding import AnalysisResult, Column, Finding, Rule, Scalar, Severity, Table
from gluon_inspect.traffic.bulk.box import Boxes
from gluon_inspect.traffic.bulk.copies import BulkAccess

REPEATED = Rule(
    code="GI106",
    name="repeated-cluster-read",
    summary="Every CTA of a cluster reads the same box of global memory for itself.",
    what=(
        "Where the shared layout of a tensor descriptor gives several CTAs of a cluster the same elements, a bulk "
        "copy without `multicast` is issued by each of them."
    ),
    why="L2 serves the box once for each CTA; with multicast it is read once and written to all of them.",
    how="From the block bases (`cga_layout`) of the shared layout: a zero basis is a copy in another CTA.",
    not_modelled="Whether L2's bandwidth or the copies' latency limits the kernel at all.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # two CTAs (num_ctas=2), the same tile in both: the descriptor's layout has cga_layout=[[0, 0]]
    tile = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, src.block_type.nbytes)
    tma.async_load(src, [0, 0], bar, tile)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    tma.async_store(dst, [0, 0], tile)
    tma.store_wait(0)


layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16, cga_layout=[[0, 0]])
tensors = torch.empty(2, 64, 64, device="cuda", dtype=torch.float16)
src, dst = (TensorDescriptor.from_tensor(each, [64, 64], layout) for each in tensors)
kernel[(1,)](src, dst, num_ctas=2)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    # two CTAs (num_ctas=2), the same tile in both: the descriptor's layout has cga_layout=[[0, 0]]
    tile = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, src.block_type.nbytes)
    tma.async_load(src, [0, 0], bar, tile, multicast=True)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    tma.async_store(dst, [0, 0], tile)
    tma.store_wait(0)


layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16, cga_layout=[[0, 0]])
tensors = torch.empty(2, 64, 64, device="cuda", dtype=torch.float16)
src, dst = (TensorDescriptor.from_tensor(each, [64, 64], layout) for each in tensors)
kernel[(1,)](src, dst, num_ctas=2)
""",
)
RULES = (REPEATED,)


def run(facts: Facts) -> AnalysisResult:
    """A table of the bulk copies, and a note for each that a cluster makes more often than needed."""
    copies, graph = facts.bulk, facts.graph
    if graph is None or not copies or facts.target.backend != "cuda":
        return AnalysisResult()
    records = {each.result_of: each for each in facts.accesses if each.space is Space.GLOBAL}
    ordered = [each for start in sorted(copies) for each in copies[start]]
    findings = tuple(_finding(each, records) for each in ordered if each.reads > 1)
    return AnalysisResult(findings=findings, tables=(_table(ordered, graph),))


def _finding(access: BulkAccess, records: Mapping[int, Access]) -> Finding:
    record = records.get(access.op.span.start)
    name = record.id if record is not None else str(access.op.span.start)
    return Finding(
        id=f"{REPEATED.code}-{name}",
        rule=REPEATED.code,
        name=REPEATED.name,
        severity=Severity.NOTE,
        confidence=record.confidence if record is not None else Confidence.UNKNOWN,
        model=ModelStatus.DOCUMENTED,
        message=f"{access.reads} CTAs of a cluster read the same box, each for itself",
        location=access.op.location,
        evidence={"ctas": access.reads, "sectors": None if record is None else record.sectors},
        help="pass multicast=True, so that one read serves them all",
        subject=name if record is not None else "",
    )


def _table(copies: list[BulkAccess], graph: Graph) -> Table:
    columns = (
        Column("copy"),
        Column("tile"),
        Column("box"),
        Column("instructions", "right"),
        Column("swizzle", "right", "B"),
        Column("buffers", "right"),
        Column("CTAs a read"),
    )
    rows = tuple(_row(each, each.boxes, graph) for each in copies)
    places = tuple(each.op.location for each in copies)
    note = "instructions of one execution by one CTA; buffers: how many tiles its shared memory holds"
    return Table("bulk-copies", "Bulk copies (TMA)", columns, rows, places, note)


def _row(access: BulkAccess, cut: Boxes | None, graph: Graph) -> tuple[Scalar, ...]:
    name = access.op.name.partition(".")[2]
    if cut is None:
        return (name, "", access.tally.unknown, None, None, None, "")
    of = access.type.encoding if access.type is not None else None
    swizzle = of.swizzle_bytes if isinstance(of, NvmmaSharedEncoding) else None
    each = cut.pieces * cut.copies // cut.ctas
    served = f"{cut.copies} by multicast" if access.multicast else "1"
    return (
        name,
        _by(cut.tile),
        _by(cut.box),
        each if cut.known else None,
        swizzle,
        _depth(access, graph),
        served,
    )


def _by(sizes: tuple[int, ...]) -> str:
    return " x ".join(map(str, sizes))


def _depth(access: BulkAccess, graph: Graph) -> int | None:
    """Tiles in the allocation that the copy's buffer is one of: the stages of its pipeline."""
    value = operand(access.op, access.row.buffer)
    return None if value is None or graph.root(value) is None else slots(graph, value)
