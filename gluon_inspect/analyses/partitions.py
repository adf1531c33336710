"""Warp-specialised kernels: warps, registers and work of each partition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from gluon_inspect.assembly.partition_code import stack_instructions
from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.operations import row_of, ttng
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.partitions import DEFAULT, Partition, Specialization, specializations
from gluon_inspect.model.access import Direction
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Column, Finding, Rule, Scalar, Severity, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Operation

_NO_REGISTERS = Rule(
    code="GI305",
    name="register-request-ignored",
    summary="The registers that partitions ask for do not fit the register file, so the request is dropped.",
    what=(
        "`gl.warp_specialize` takes a number of registers for each worker partition; the default partition gets "
        "what is left of the file's 64 K (or of the kernel's maxnreg). At least 24 must be left for it."
    ),
    why="Otherwise the compiler shares registers out evenly, without saying so, and the busy partition spills.",
    how="The compiler's own arithmetic: whole warp groups of four warps, steps of eight registers.",
    not_modelled="How many registers a partition's code really needs.",
    bad="""
@gluon.jit
def fill(dst, place: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    gl.store(dst + place * 128 + gl.arange(0, 128, layout), 1.0)


@gluon.jit
def kernel(dst):
    # two workers of four warps ask for 256 registers a thread: 64 K, and nothing is left
    gl.warp_specialize([(fill, (dst, 0)), (fill, (dst, 1)), (fill, (dst, 2))], [4, 4], [256, 256])


kernel[(1,)](torch.empty(3 * 128, device="cuda"))
""",
    good="""
@gluon.jit
def fill(dst, place: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    gl.store(dst + place * 128 + gl.arange(0, 128, layout), 1.0)


@gluon.jit
def kernel(dst):
    gl.warp_specialize([(fill, (dst, 0)), (fill, (dst, 1)), (fill, (dst, 2))], [4, 4], [48, 48])


kernel[(1,)](torch.empty(3 * 128, device="cuda"))
""",
)
RULES = (_NO_REGISTERS,)

_FILE_REGISTERS = 64 * 1024
_WARP_SIZE = 32


def run(facts: Facts) -> AnalysisResult:
    """A table of the partitions and, where their registers do not fit, a finding; nothing without any."""
    if facts.module is None:
        return AnalysisResult()
    found = specializations(facts.module)
    if not found:
        return AnalysisResult()
    findings = tuple(_finding(number, each) for number, each in enumerate(found) if _is_ignored(each))
    return AnalysisResult(findings=findings, tables=(_table(found, _spills(facts)),))


def _spills(facts: Facts) -> Mapping[str, int] | None:
    """Stack instructions by partition; None: there is no SASS that would say."""
    if facts.module is None or facts.assembly is None or facts.assembly.dialect != "sass":
        return None
    return stack_instructions(facts.module, facts.assembly, facts.kernel.name)


def _is_ignored(found: Specialization) -> bool:
    asked = any(part.requested is not None for part in found.partitions)
    return asked and all(part.registers is None for part in found.partitions)


def _finding(number: int, found: Specialization) -> Finding:
    wanted = [(part.warps, part.requested) for part in found.partitions if part.requested is not None]
    total = sum(warps * registers * _WARP_SIZE for warps, registers in wanted)
    return Finding(
        id=f"{_NO_REGISTERS.code}-{number}",
        rule=_NO_REGISTERS.code,
        name=_NO_REGISTERS.name,
        severity=Severity.WARNING,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=(
            f"the partitions ask for {total:,} registers and leave too few for the default partition: "
            "the request is dropped"
        ),
        location=found.op.location,
        evidence={
            "requested": tuple(registers for _, registers in wanted),
            "warps": tuple(warps for warps, _ in wanted),
            "budget_registers": found.budget_registers,
            "total_warps": found.total_warps,
        },
        help="ask for fewer registers, or give partitions fewer warps",
    )


def _table(found: tuple[Specialization, ...], spills: Mapping[str, int] | None) -> Table:
    columns = (
        Column("partition"),
        Column("code"),
        Column("warps", "right"),
        Column("registers asked", "right"),
        Column("registers a thread", "right"),
        Column("loads", "right"),
        Column("stores", "right"),
        Column("MMAs", "right"),
        Column("waits", "right"),
        Column("signals", "right"),
        Column("spills", "right"),
    )
    parts = [part for each in found for part in each.partitions]
    places = tuple(_place(part, each.op.location) for each in found for part in each.partitions)
    rows = tuple(
        (*_row(part, place), None if spills is None else spills.get(part.name, 0))
        for part, place in zip(parts, places, strict=True)
    )
    return Table("partitions", "Partitions of warps", columns, rows, places, _note(found))


def _row(part: Partition, place: Location | None) -> tuple[Scalar, ...]:
    work = Counter(kind for op in part.operations() for kind in _kinds(op))
    return (
        part.name,
        "" if place is None else f"line {place.line}",
        part.warps,
        "the rest" if part.name == DEFAULT else part.requested,
        part.registers,
        work["load"],
        work["store"],
        work["mma"],
        work["wait"],
        work["signal"],
    )


def _kinds(op: Operation) -> Iterator[str]:
    """What an operation does for its partition, by the words of the table."""
    row = row_of(op)
    if row.bulk is not None:
        yield "load" if row.bulk.direction is Direction.COPY else "store"
    elif (work := _WORK.get(row) or _WORK_OF_KINDS.get(row.kind)) is not None:
        yield work


_WORK: Mapping[OperationRow, str] = {
    ttng.WAIT_BARRIER: "wait",
    ttng.ARRIVE_BARRIER: "signal",
    ttng.TC_GEN5_COMMIT: "signal",
}
_WORK_OF_KINDS: Mapping[K, str] = {
    K.GLOBAL_LOAD: "load",
    K.GLOBAL_TO_SHARED: "load",
    K.GLOBAL_STORE: "store",
    K.MMA: "mma",
}


def _place(part: Partition, start: Location | None) -> Location | None:
    """Where its code begins, in its own function; `start` is where the kernel starts its partitions."""
    first = next((op.location for op in part.operations() if op.location is not None), None)
    if first is None:
        return None
    outside = None if start is None else (start.file, start.line)
    own = [place for place in first.chain if (place.file, place.line) != outside]
    return own[-1] if own else first


def _note(found: tuple[Specialization, ...]) -> str:
    notes = [
        "operations as they stand in the code, loop bodies once; global loads and stores only",
        "spills: instructions of the binary that touch the stack",
    ]
    for each in found:
        held = [part.warps * part.registers * _WARP_SIZE for part in each.partitions if part.registers is not None]
        if held and each.budget_registers is not None:
            notes.append(
                f"{sum(held):,} of {_FILE_REGISTERS:,} registers of the file go to {each.total_warps} warps"
            )
    return "; ".join(notes)
