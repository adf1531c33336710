"""AMD: what rocprofv3 would count for a launch, and rocprof-compute's metrics of it, without a card.

Each counter stands beside what it counts, so that a profile can be laid next to the prediction
(`--counters counter_collection.csv` does). Definitions: ROCm documentation, "MI300 and MI200 series performance
counters"; rocprof-compute, "Local data share" and "Vector L1 cache" (`SQ_LDS_IDX_ACTIVE` holds the cycles of
conflicts; `TCP_TCC_READ_REQ` counts lines that the vL1D asks of the L2). The vL1D's hits are not modelled: its
requests are an upper bound. Allocated registers: VGPR_Count is taken for the accum offset (a multiple of 4) and
Accum_VGPR_Count for the rest of the wave's granules; rocprofiler-sdk was not looked up for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gluon_inspect.assembly.line_match import match_lines
from gluon_inspect.assembly.loops import innermost_loops
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.occupancy import allocated_registers
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.asm import Function
from gluon_inspect.model.finding import AnalysisResult, Column, Rule, Scalar, Table
from gluon_inspect.model.mlir import Module

RULES: tuple[Rule, ...] = ()
PREDICTED = "predicted_counters"
"""Key of the table: counter, what it counts, predicted."""
_LOADS = (Direction.LOAD, Direction.COPY)


def run(facts: Facts) -> AnalysisResult:
    """Two tables for AMD launches whose accesses are known: counters, metrics."""
    if facts.target.backend != "hip" or facts.module is None or not facts.accesses:
        return AnalysisResult()
    counted = dict(_counters(facts))
    columns = (Column("counter"), Column("counts"), Column("predicted", "right"))
    rows: tuple[tuple[Scalar, ...], ...] = tuple((name, what, value) for name, (what, value) in counted.items())
    tables = (Table(PREDICTED, "Counters of rocprofv3, predicted", columns, rows, (), _NOTE),)
    metrics = tuple(_metrics(facts, {name: value for name, (_, value) in counted.items()}))
    if metrics:
        titled = (Column("metric"), Column("predicted", "right"), Column("unit"))
        tables += (Table("predicted_metrics", "Metrics of rocprof-compute, predicted", titled, metrics),)
    return AnalysisResult(tables=tables)


_NOTE = "of the whole launch; requests to the L2 as if the vL1D kept nothing"
_Counted = tuple[str, tuple[str, int | None]]


def _counters(facts: Facts) -> Iterator[_Counted]:
    plain = [each for each in facts.accesses if each.space is Space.GLOBAL and each.transactions is None]
    loads = [each for each in plain if each.direction in _LOADS]
    stores = [each for each in plain if each.direction is Direction.STORE]
    shared = [
        each for each in facts.accesses if each.space is Space.SHARED and each.direction is not Direction.COPY
    ]
    is_rdna = facts.target.architecture.startswith("RDNA")
    cycles, ideal = _sum(a.wavefronts for a in shared), _sum(a.wavefronts_ideal for a in shared)
    yield "SQ_INSTS_VMEM_RD", ("vector memory reads, by waves", _sum(a.requests for a in loads))
    yield "SQ_INSTS_VMEM_WR", ("vector memory writes, by waves", _sum(a.requests for a in stores))
    yield "SQ_INSTS_LDS", ("LDS instructions, by waves", _lds_instructions(facts, shared))
    lds = "SQC_LDS" if is_rdna else "SQ_LDS"
    yield f"{lds}_IDX_ACTIVE", ("LDS cycles, those of conflicts included", cycles)
    conflicts = None if cycles is None or ideal is None else cycles - ideal
    yield f"{lds}_BANK_CONFLICT", ("LDS cycles of conflicts", conflicts)
    if not is_rdna:
        yield (
            "TCP_TCC_READ_REQ_sum",
            (f"lines of {facts.target.line_bytes} B asked of the L2", _lines(facts, loads)),
        )
        yield "TCP_TCC_WRITE_REQ_sum", ("64 B pieces written to the L2", _sum(a.sectors for a in stores))
    yield from _registers(facts)


def _lines(facts: Facts, loads: Iterable[Access]) -> int | None:
    """`Access.lines` are of 128 bytes; MI200's vL1D has lines of a sector."""
    if facts.target.line_bytes == facts.target.sector_bytes:
        return _sum(access.sectors for access in loads)
    return _sum(access.lines for access in loads)


def _registers(facts: Facts) -> Iterator[_Counted]:
    held = facts.registers.amd
    if held is None or held.vector is None or facts.registers.per_thread is None:
        return
    total = allocated_registers(facts.target, facts.registers.per_thread)
    own = -(-max(held.vector, 1) // 4) * 4 if facts.target.has_accumulation_registers else total
    yield "VGPR_Count", ("VGPRs a lane, as allocated", min(own, total))
    if facts.target.has_accumulation_registers:
        yield "Accum_VGPR_Count", ("AGPRs a lane, as allocated", total - min(own, total))
    if held.scalar is not None and facts.target.scalar_registers_per_simd:
        unit = facts.target.scalar_register_allocation_unit
        yield "SGPR_Count", ("SGPRs a wave, as allocated", -(-held.scalar // unit) * unit)


def _lds_instructions(facts: Facts, shared: list[Access]) -> int | None:
    """Requests, two that LLVM joined into one two-address instruction counting as one."""
    inside, outside = _joined(facts, in_loops=True), _joined(facts, in_loops=False)
    looped = _looped(facts.module)
    found = [
        None if a.requests is None else a.requests * (inside if a.result_of in looped else outside).get(a.id, 1.0)
        for a in shared
    ]
    known = [value for value in found if value is not None]
    return round(sum(known)) if len(known) == len(found) else None


def _looped(module: Module | None) -> frozenset[int]:
    """Span starts of the operations inside loops."""
    if module is None:
        return frozenset()
    depths = graph_of(module).depths
    return frozenset(op.span.start for op, depth in depths.items() if depth)


def _joined(facts: Facts, *, in_loops: bool) -> Mapping[str, float]:
    """Instructions over accesses of each line's shared memory, by the ids of its accesses.

    A pipelined loop's copies before and after it stand on the loop's lines, and LLVM joins them otherwise.
    """
    if facts.assembly is None:
        return {}
    part = replace(facts.assembly, functions=tuple(_part(each, in_loops) for each in facts.assembly.functions))
    matches = match_lines(part, facts.kernel.name, facts.kernel.source_file, facts.accesses)
    return {
        access: sum(match.names.values()) / sum(match.found.values())
        for match in matches
        if match.space is Space.SHARED and match.names and sum(match.found.values())
        for access in match.accesses
    }


def _part(function: Function, in_loops: bool) -> Function:
    """The function's instructions inside its innermost loops, or all others."""
    within = {i for loop in innermost_loops(function) for i in range(loop.first, loop.last + 1)}
    kept = tuple(each for i, each in enumerate(function.instructions) if (i in within) == in_loops)
    return replace(function, instructions=kept, labels={})


def _metrics(facts: Facts, counted: Mapping[str, int | None]) -> Iterator[tuple[Scalar, ...]]:
    """rocprof-compute's formulas where all their parts are known."""
    lds = "SQC_LDS" if facts.target.architecture.startswith("RDNA") else "SQ_LDS"
    active, conflicts = counted.get(f"{lds}_IDX_ACTIVE"), counted.get(f"{lds}_BANK_CONFLICT")
    if active and conflicts is not None:
        yield "LDS bank conflict rate", round(100 * conflicts / active, 1), "% of LDS cycles"
        if active > conflicts:
            yield (
                "LDS bank conflicts an access",
                round(conflicts / (active - conflicts), 2),
                "conflict cycles a cycle",
            )
    reads, lines = counted.get("SQ_INSTS_VMEM_RD"), counted.get("TCP_TCC_READ_REQ_sum")
    if reads and lines is not None:
        yield "vL1D to L2 reads an instruction", round(lines / reads, 2), "lines"
    loads = [a for a in facts.accesses if a.space is Space.GLOBAL and a.direction in _LOADS and not a.is_bulk]
    moved, useful = _sum(a.sectors for a in loads), _sum(a.sectors_ideal for a in loads)
    if moved and useful is not None:
        yield "vL1D coalescing of reads", round(100 * useful / moved, 1), "% of the sectors moved"


def _sum(values: Iterable[int | None]) -> int | None:
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None
