"""MMAs that run alone because the code waits for them at once, and a table of all asynchronous MMAs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gluon_inspect.analyses.mma_waits.waits import EagerWait, eager_waits
from gluon_inspect.assembly.counts import author_line, functions_of
from gluon_inspect.errors import InspectError
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.narrowing import narrow_layouts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import operand, row_of, ttng
from gluon_inspect.model.access import Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import Resource, Stall
from gluon_inspect.model.encodings import NvidiaMmaEncoding
from gluon_inspect.model.finding import AnalysisResult, Column, Finding, Rule, Scalar, Severity, Table
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.traffic.tensor.mma import TENSOR_MMAS, major, tensor_mma

EAGER = Rule(
    code="GI503",
    name="mma-waited-at-once",
    summary="A loop waits for an asynchronous MMA right after starting it.",
    what=(
        "WGMMA and tcgen05 MMAs run beside the warps that start them. The rule speaks where the next thing that a "
        "loop does after an MMA is to wait for it, nothing else having been started in between. Not where copies "
        "of later iterations are under way and the iteration goes on with the result: nothing is to be won then."
    ),
    why="The matrix unit idles while the next operands are fetched, and the fetches wait for the matrix unit.",
    how=(
        "The order of operations in the loop's body: MMA, commit, wait; arithmetic and views do not count. What "
        "it loses is the share of the time that a warp stands at the wait, at most what the matrix units idle; "
        f"severity follows: {THRESHOLDS}."
    ),
    not_modelled="Other CTAs of the SM, which may use the matrix unit meanwhile.",
    bad="""
@gluon.jit
def kernel(a_desc, b_desc, dst, K: gl.constexpr, mma: gl.constexpr, shape: gl.constexpr):
    a_tile = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_type.shape, a_desc.layout)
    b_tile = gl.allocate_shared_memory(b_desc.dtype, b_desc.block_type.shape, b_desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    acc = warpgroup_mma_init(gl.zeros(shape, gl.float32, mma))
    for k in range(K):
        mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
        tma.async_load(a_desc, [0, k * 64], bar, a_tile)
        tma.async_load(b_desc, [k * 64, 0], bar, b_tile)
        mbarrier.wait(bar, k & 1)
        acc = warpgroup_mma(a_tile, b_tile, acc, is_async=True)
        acc = warpgroup_mma_init(warpgroup_mma_wait(0, (acc,)))
    rows = gl.arange(0, shape[0], gl.SliceLayout(1, mma))[:, None]
    columns = gl.arange(0, shape[1], gl.SliceLayout(0, mma))[None, :]
    gl.store(dst + rows * shape[1] + columns, warpgroup_mma_wait(0, (acc,)))


layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
a, b = torch.empty(2, 64 * 512, device="cuda", dtype=torch.float16)
a_desc = TensorDescriptor.from_tensor(a.view(64, 512), [64, 64], layout)
b_desc = TensorDescriptor.from_tensor(b.view(512, 64), [64, 64], layout)
mma = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
kernel[(1,)](a_desc, b_desc, torch.empty(64, 64, device="cuda"), 8, mma, (64, 64))
""",
    good="""
@gluon.jit
def kernel(a_desc, b_desc, dst, K: gl.constexpr, mma: gl.constexpr, shape: gl.constexpr):
    a_tile = gl.allocate_shared_memory(a_desc.dtype, [2] + a_desc.block_type.shape, a_desc.layout)
    b_tile = gl.allocate_shared_memory(b_desc.dtype, [2] + b_desc.block_type.shape, b_desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    acc = warpgroup_mma_init(gl.zeros(shape, gl.float32, mma))
    for k in range(K):
        mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
        tma.async_load(a_desc, [0, k * 64], bar, a_tile.index(k & 1))
        tma.async_load(b_desc, [k * 64, 0], bar, b_tile.index(k & 1))
        mbarrier.wait(bar, k & 1)
        # the MMA before this one ran while these tiles were loaded
        acc = warpgroup_mma_wait(0, (acc,))
        acc = warpgroup_mma(a_tile.index(k & 1), b_tile.index(k & 1), acc, is_async=True)
    rows = gl.arange(0, shape[0], gl.SliceLayout(1, mma))[:, None]
    columns = gl.arange(0, shape[1], gl.SliceLayout(0, mma))[None, :]
    gl.store(dst + rows * shape[1] + columns, warpgroup_mma_wait(0, (acc,)))


layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
a, b = torch.empty(2, 64 * 512, device="cuda", dtype=torch.float16)
a_desc = TensorDescriptor.from_tensor(a.view(64, 512), [64, 64], layout)
b_desc = TensorDescriptor.from_tensor(b.view(512, 64), [64, 64], layout)
mma = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
kernel[(1,)](a_desc, b_desc, torch.empty(64, 64, device="cuda"), 8, mma, (64, 64))
""",
)
RULES = (EAGER,)


def run(facts: Facts) -> AnalysisResult:
    """A table of the MMAs that read shared or tensor memory, and a finding for each that runs alone."""
    if facts.module is None:
        return AnalysisResult()
    found = [op for op in graph_of(facts.module).operations if row_of(op) in (*TENSOR_MMAS, ttng.WARP_GROUP_DOT)]
    if not found:
        return AnalysisResult()
    told = [each for each in eager_waits(facts.module) if not each.needed or (each.loads and not each.ahead)]
    behind = _stood_behind(facts)
    findings = tuple(_finding(facts, n, group, behind) for n, group in enumerate(_by_loop(facts, told)))
    return AnalysisResult(findings=findings, tables=(_table(found),))


def _by_loop(facts: Facts, told: Sequence[EagerWait]) -> Iterator[tuple[EagerWait, ...]]:
    """The waits that one change mends: those of a loop that starve alike.

    Loads that pass through registers since they are narrow have a finding of their own, which holds this loss.
    """
    if facts.graph is None:
        return
    narrow = {access.result_of for access, _, _ in narrow_layouts(facts)} if told else set[int]()
    loops = {facts.graph.loop_of(op) for op in facts.graph.operations if op.span.start in narrow}
    groups: dict[tuple[Operation | None, bool], list[EagerWait]] = {}
    for each in told:
        loop = facts.graph.loop_of(each.mma)
        if not (each.through_registers and loop in loops):
            groups.setdefault((loop, _starves(each)), []).append(each)
    yield from (tuple(group) for group in groups.values())


def _starves(found: EagerWait) -> bool:
    return found.loads > 0 and not found.ahead


_BETWEEN = "start the next copies between the MMA and its wait, or let one MMA stay outstanding"
_LATER = "start the next MMA before this one is awaited: wait for the one before it, or after the loop"
_STAGES = 2
_WORD_BITS = 32
_LEFT_OUT = "the compiler did not copy this loop's loads ahead, whatever their width"


def _is_left_out(facts: Facts, found: EagerWait) -> bool:
    """Whether loads wait for their data though there are stages for them and they are wide enough to be copied."""
    stages, loop = facts.kernel.metadata.get("num_stages"), facts.graph and facts.graph.loop_of(found.mma)
    if not found.through_registers or not isinstance(stages, int) or stages < _STAGES or not loop:
        return False
    inside = {op.span.start for op in facts.graph.within(loop)} if facts.graph else set[int]()
    bits = [a.vector_bits or 0 for a in facts.accesses if a.result_of in inside and a.space is Space.GLOBAL]
    return "ttir" in facts.kernel.stages and bool(bits) and min(bits) >= _WORD_BITS


_GROUPED = ("HGMMA", "QGMMA", "IGMMA", "BGMMA")


def _stood_behind(facts: Facts) -> Mapping[int, float] | None:
    """Share of the time that a warp stands for the MMAs of each line, no more than the matrix units idle.

    A wait is met by the first instruction that needs the result, whatever line that is of: it belongs to the MMA
    before it in the code.
    """
    cost = facts.cost
    if cost is None or not cost.standing or facts.assembly is None:
        return None
    functions = functions_of(facts.assembly, facts.kernel.name)
    code = next((each for each in functions if each.name == facts.kernel.name), functions[0]).instructions
    shares = {each.index: each.stalls.get(Stall.GMMA, 0.0) for each in cost.standing}
    found, line = dict[int, float](), 0
    for index, each in enumerate(code):
        if each.root in _GROUPED and each.location is not None:
            line = author_line(each.location, facts.kernel.source_file).line
        found[line] = found.get(line, 0.0) + shares.get(index, 0.0)
    idle = _idle(facts)
    return {at: min(share, idle) for at, share in found.items()}


def _lost(found: EagerWait, behind: Mapping[int, float] | None) -> float | None:
    place = found.mma.location
    return None if behind is None or place is None else behind.get(place.author.line, 0.0)


def _finding(
    facts: Facts, number: int, group: tuple[EagerWait, ...], behind: Mapping[int, float] | None
) -> Finding:
    """One finding for the waits of a loop, at the MMA that loses most; together no more than the unit idles."""
    found = max(group, key=lambda each: _lost(each, behind) or 0.0)
    lost = None if behind is None else min(sum(_lost(each, behind) or 0.0 for each in group), _idle(facts))
    starved = _starves(found)
    if _is_left_out(facts, found):
        starved, lost = False, None
    if not starved:
        # what one more MMA under way costs in buffers is as much: on an H200 it gave nothing back (-7%)
        lost = None
    return Finding(
        id=f"{EAGER.code}-{number}",
        rule=EAGER.code,
        name=EAGER.name,
        severity=severity_of(lost, Severity.WARNING if starved else Severity.NOTE),
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=_message(found, group, starved=starved),
        location=found.mma.location,
        evidence={
            "mma": found.mma.name,
            "wait": found.wait.name,
            "loads_in_loop": found.loads,
            "lines": _lines(group),
        },
        help=_LEFT_OUT if _is_left_out(facts, found) else _help(facts, found) if starved else _LATER,
        cost=lost,
    )


def _lines(group: Sequence[EagerWait]) -> tuple[int, ...]:
    return tuple(sorted({each.mma.location.author.line for each in group if each.mma.location}))


def _message(found: EagerWait, group: Sequence[EagerWait], *, starved: bool) -> str:
    beside = "while it loads the next operands" if starved else "in every iteration"
    lines = _lines(group)
    if len(group) > 1 and len(lines) > 1:
        shown = ", ".join(map(str, lines))
        return f"the loop waits for {len(group)} MMAs at once (lines {shown}): the matrix unit idles {beside}"
    line = f" (line {found.wait.location.author.line})" if found.wait.location else ""
    return f"the loop waits for this MMA at once{line}: the matrix unit idles {beside}"


def _idle(facts: Facts) -> float:
    """Share of the time in which the matrix units have nothing to do."""
    cost = facts.cost
    return 1.0 if cost is None else max(0.0, 1.0 - cost.parts.get(Resource.TENSOR, 0.0) / cost.seconds)


def _help(facts: Facts, found: EagerWait) -> str:
    """By what was launched: whether there are stages, whether the loads can use them, whether one more fits."""
    if "ttir" not in facts.kernel.stages:
        return _BETWEEN
    stages, held = facts.kernel.metadata.get("num_stages"), facts.shared_bytes
    if not isinstance(stages, int) or stages < 1 or not held:
        return "num_stages of 2 or more has the compiler start the next copies before the MMA"
    if found.through_registers and stages >= _STAGES:
        return (
            f"loads of this loop pass through registers and wait for their data, though num_stages is {stages}: "
            "rows and pointers at multiples of 16 bytes let the compiler copy asynchronously"
        )
    most, more = facts.target.shared_bytes_per_cta, held // stages * (stages + 1)
    if more <= most:
        return f"try num_stages={stages + 1} (it has {stages}): at most {more:,} of {most:,} bytes of shared"
    return f"num_stages is {stages} and one more does not fit {most:,} bytes of shared memory: smaller tiles"


def _table(found: list[Operation]) -> Table:
    columns = (
        Column("MMA"),
        Column("tile MxNxK"),
        Column("instruction"),
        Column("count", "right"),
        Column("A"),
        Column("B"),
        Column("accumulator"),
    )
    rows = tuple(_row(op) for op in found)
    note = (
        "count: instructions of one execution, all CTAs together; K or MN: along what an operand is contiguous; "
        "registers: of each thread"
    )
    return Table("mma-operands", "Asynchronous MMAs", columns, rows, tuple(op.location for op in found), note)


def _row(op: Operation) -> tuple[Scalar, ...]:
    if row_of(op) is ttng.WARP_GROUP_DOT:
        return _group_row(op)
    try:
        read = tensor_mma(op)
    except InspectError as error:
        return (op.name, error.message, "", None, "", "", "")
    m, n, k_bytes = read.instruction
    return (
        op.name.partition(".")[2],
        "x".join(map(str, read.tile)),
        f"{m}x{n}x{k_bytes} B",
        read.instructions,
        _source(operand(op, "a"), read.major[0]),
        _source(operand(op, "b"), read.major[1]),
        "tensor memory",
    )


def _group_row(op: Operation) -> tuple[Scalar, ...]:
    a, b, result = op.operands[0], op.operands[1], op.results[0].type
    if not isinstance(result, TensorType) or not isinstance(result.encoding, NvidiaMmaEncoding):
        return (op.name, "", "", None, "", "", "")
    depth = a.type.shape[-1] if isinstance(a.type, TensorType | MemDescType) else 0
    rows, columns = result.encoding.warps_per_cta[0], result.encoding.warps_per_cta[1]
    m, n, k = 64, *result.encoding.instr_shape[-2:]
    repeats = (
        max(result.shape[0] // (16 * rows), 1) * max(result.shape[1] // (n * columns), 1) * max(depth // k, 1)
    )
    held = result.shape[0] * result.shape[1] // (32 * rows * columns)
    return (
        "warp_group_dot",
        f"{result.shape[0]}x{result.shape[1]}x{depth}",
        f"{m}x{n}x{k}",
        repeats * max(rows * columns // 4, 1),
        _source(a, _major(a, 1)),
        _source(b, _major(b, 0)),
        f"{held * (element_bits(result) or 32) // 32} registers",
    )


def _major(value: Value, k_dim: int) -> str:
    return major(value.type, k_dim) if isinstance(value.type, MemDescType) else ""


def _source(value: Value | None, contiguous: str) -> str:
    of = None if value is None else value.type
    where = "registers" if isinstance(of, TensorType) else "tensor memory"
    if isinstance(of, MemDescType) and of.memory_space == "shared":
        where = "shared"
    return f"{where}, {contiguous}-major" if contiguous and where == "shared" else where
