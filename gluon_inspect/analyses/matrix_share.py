"""How busy the matrix unit can be in each loop, and what keeps it waiting: a static bound."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.assembly.counts import author_line
from gluon_inspect.cost.matrix_share import MatrixLoop, Wait, matrix_loops
from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Column, Finding, Rule, Scalar, Severity, Table
from gluon_inspect.model.location import Location

_TRITON_STAGE = "ttir"
"""Gluon kernels have no such stage."""
_LOW_SHARE = 0.5
_WORTH_TELLING = 0.2
"""Of the iteration's time."""

IDLE = Rule(
    code="GI501",
    name="idle-matrix-unit",
    summary="A loop's matrix instructions leave their unit idle for most of the loop's time.",
    what=(
        "For each innermost loop with matrix instructions: the cycles they occupy the matrix unit, over a lower "
        "bound of the iteration's time for one wave (AMD) or warp (NVIDIA). On AMD this is the MFMA efficiency "
        "of AMD's GEMM tuning guides, computed instead of measured."
    ),
    why="Clocks and other waves change how long a kernel takes, but not how much of its loop is matrix work.",
    how=(
        "AMD: the loop is issued in order with documented issue and matrix cycles, 500 cycles for a load from "
        "memory, 120 for a spill's reload and 64 for one from LDS (40 on MI350, whose wide reads move 256 bytes a "
        "cycle), until iterations take equally long; each wait instruction costs what nothing covers. "
        "NVIDIA: issue slots against tensor-core cycles, since SASS text names no waits. A note below 50%."
    ),
    not_modelled="Other resident waves, barriers, bank conflicts, cache misses; tensor cores fed by tcgen05.",
    bad="""
@triton.jit
def kernel(a, b, c, K, BLOCK: tl.constexpr, STEP: tl.constexpr):
    # every iteration waits for the operands that it loaded itself (num_stages=1)
    rows, columns, inner = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :], tl.arange(0, STEP)
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in tl.range(0, K, STEP, num_stages=1):
        left = tl.load(a + rows * K + k + inner[None, :])
        right = tl.load(b + (k + inner[:, None]) * BLOCK + columns)
        sums = tl.dot(left, right, sums)
    tl.store(c + rows * BLOCK + columns, sums)


a, b = torch.empty(2, 128 * 1024, device="cuda", dtype=torch.float16)
kernel[(1,)](a, b, torch.empty(128, 128, device="cuda"), 1024, BLOCK=128, STEP=64)
""",
    good="""
@triton.jit
def kernel(a, b, c, K, BLOCK: tl.constexpr, STEP: tl.constexpr):
    # the next iteration's operands are on their way while this one computes (num_stages=2)
    rows, columns, inner = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :], tl.arange(0, STEP)
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in tl.range(0, K, STEP, num_stages=2):
        left = tl.load(a + rows * K + k + inner[None, :])
        right = tl.load(b + (k + inner[:, None]) * BLOCK + columns)
        sums = tl.dot(left, right, sums)
    tl.store(c + rows * BLOCK + columns, sums)


a, b = torch.empty(2, 128 * 1024, device="cuda", dtype=torch.float16)
kernel[(1,)](a, b, torch.empty(128, 128, device="cuda"), 1024, BLOCK=128, STEP=64)
""",
    example_target="hip:gfx942",
)
RULES = (IDLE,)


def run(facts: Facts) -> AnalysisResult:
    """A table of the loops with matrix instructions, and a note on each that leaves its unit idle."""
    if facts.assembly is None:
        return AnalysisResult()
    loops = matrix_loops(facts.assembly, facts.target)
    if not loops:
        return AnalysisResult()
    tables = (_table(facts, loops), _waits(facts, loops))
    return AnalysisResult(
        findings=tuple(_findings(facts, loops)), tables=tuple(table for table in tables if table is not None)
    )


def _place(facts: Facts, loop: MatrixLoop) -> Location | None:
    return author_line(loop.location, facts.kernel.source_file) if loop.location else None


def _table(facts: Facts, loops: tuple[MatrixLoop, ...]) -> Table:
    is_amd = facts.target.backend == "hip"
    titles = ("waits for memory", "waits for LDS", "waits for spills", "s_nop", "barriers") if is_amd else ()
    waits = tuple(Column(title, "right") for title in titles)
    columns = (
        Column("line"),
        Column("matrix instructions", "right"),
        Column("matrix cycles", "right"),
        Column("cycles at least", "right"),
        Column("share", "right", "%"),
        *waits,
        Column("shared memory", "right"),
        Column("arithmetic", "right"),
    )
    places = tuple(_place(facts, loop) for loop in loops)
    rows = tuple(_row(loop, place, is_amd) for loop, place in zip(loops, places, strict=True))
    title = "Matrix work in loops (one iteration, static bound)"
    return Table(
        "matrix_loops", title, columns, rows, places, "Other resident waves fill gaps; misses widen them."
    )


def _row(loop: MatrixLoop, place: Location | None, is_amd: bool) -> tuple[Scalar, ...]:
    waits: tuple[Scalar, ...] = (
        round(loop.memory_wait_cycles),
        round(loop.lds_wait_cycles),
        round(loop.spill_wait_cycles),
        round(loop.idle_cycles),
        loop.barriers,
    )
    return (
        place.line if place else None,
        loop.matrix_instructions,
        round(loop.matrix_cycles),
        round(loop.cycles),
        round(100 * loop.share),
        *(waits if is_amd else ()),
        loop.lds_instructions,
        loop.arithmetic_instructions,
    )


def _waits(facts: Facts, loops: tuple[MatrixLoop, ...]) -> Table | None:
    """Which wait instruction waits for what, at the author's lines."""
    found = [wait for loop in loops for wait in loop.waits if wait.cycles]
    if not found:
        return None
    columns = (
        Column("line", "right"),
        Column("counter"),
        Column("may stay", "right"),
        Column("cycles", "right"),
        Column("waits for"),
        Column("of line", "right"),
        Column("instruction"),
    )
    places = tuple(
        author_line(each.location, facts.kernel.source_file) if each.location else None for each in found
    )
    rows = tuple(_wait_row(facts, wait, place) for wait, place in zip(found, places, strict=True))
    return Table("matrix_waits", "Waits in loops with matrix work", columns, rows, places, _WAIT_NOTE)


_WAIT_NOTE = "one iteration, one wave: cycles that nothing else of the wave covers, and what came back last"


def _wait_row(facts: Facts, wait: Wait, place: Location | None) -> tuple[Scalar, ...]:
    by = wait.awaited
    source = author_line(by.location, facts.kernel.source_file) if by is not None and by.location else None
    return (
        place.line if place else None,
        wait.counter,
        wait.allowed,
        round(wait.cycles),
        None if wait.kind is None else wait.kind.value,
        source.line if source else None,
        None if by is None else by.opcode,
    )


def _findings(facts: Facts, loops: tuple[MatrixLoop, ...]) -> Iterator[Finding]:
    for number, loop in enumerate(loops):
        if loop.share >= _LOW_SHARE:
            continue
        causes = _causes(facts, loop)
        yield Finding(
            id=f"{IDLE.code}-{number}",
            rule=IDLE.code,
            name=IDLE.name,
            severity=Severity.NOTE,
            confidence=Confidence.ASSUMED,
            model=ModelStatus.UNVALIDATED,
            message=_message(loop, causes),
            location=_place(facts, loop),
            evidence={
                "share": round(loop.share, 4),
                "matrix_instructions": loop.matrix_instructions,
                "matrix_cycles": round(loop.matrix_cycles),
                "cycles": round(loop.cycles),
                "issue_cycles": round(loop.issue_cycles),
                "memory_wait_cycles": round(loop.memory_wait_cycles),
                "lds_wait_cycles": round(loop.lds_wait_cycles),
                "spill_wait_cycles": round(loop.spill_wait_cycles),
                "shared_memory_instructions": loop.lds_instructions,
                "arithmetic_instructions": loop.arithmetic_instructions,
            },
            help="; ".join(cure for _, cure in causes),
        )


def _message(loop: MatrixLoop, causes: tuple[tuple[str, str], ...]) -> str:
    filled = f"matrix instructions fill at most {round(100 * loop.share)}% of this loop's time"
    bound = f"({round(loop.matrix_cycles)} of at least {round(loop.cycles)} cycles)"
    return f"{filled} {bound}: {', '.join(reason for reason, _ in causes)}"


def _prefetch(facts: Facts) -> str:
    """How a kernel of this kind has its operands on their way while it computes."""
    if facts.target.backend != "hip":
        return "pipeline the loads (num_stages of 2 or more, or copies one iteration ahead)"
    if _TRITON_STAGE in facts.kernel.stages:
        return "pipeline the loads (num_stages=2; more waves a SIMD by waves_per_eu where registers allow)"
    return "pipeline the loads: issue the next iteration's buffer_load or async_copy before this one's products"


def _causes(facts: Facts, loop: MatrixLoop) -> tuple[tuple[str, str], ...]:
    """What costs time beside the matrix work, dearest first, each with what helps against it."""
    memory = "LDS" if facts.target.backend == "hip" else "shared memory"
    wider = "kpack=2 or a larger k_width" if facts.target.backend == "hip" else "wider shared memory accesses"
    causes = (
        (
            loop.memory_wait_cycles,
            f"it waits {round(loop.memory_wait_cycles)} cycles for loads from memory",
            _prefetch(facts),
        ),
        (
            loop.lds_wait_cycles,
            f"{round(loop.lds_wait_cycles)} cycles for {loop.lds_instructions} {memory} instructions",
            f"{wider}, a larger tile for each wave, or operands read an iteration ahead",
        ),
        (
            loop.spill_wait_cycles,
            f"{round(loop.spill_wait_cycles)} cycles for reloads of spilled registers ({loop.spill_instructions} "
            "scratch instructions)",
            "a smaller tile or more waves, so that nothing spills",
        ),
        (
            loop.idle_cycles,
            f"{round(loop.idle_cycles)} cycles of s_nop, which a dependent matrix instruction needs",
            "independent products between dependent ones (a larger tile for each wave)",
        ),
        (
            loop.issue_cycles,
            f"{loop.arithmetic_instructions} of {loop.instructions} instructions are address and other arithmetic",
            "a larger tile or longer K step, and pointers advanced instead of computed anew",
        ),
    )
    dearest = sorted(causes, key=lambda cause: -cause[0])
    told = [cause for cause in dearest if cause[0] >= _WORTH_TELLING * loop.cycles] or dearest[:1]
    return tuple((reason, cure) for _, reason, cure in told)
