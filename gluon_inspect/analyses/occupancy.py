"""CTAs and warps that an SM holds at once, what stops one more, and the few cases that are plainly bad."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from gluon_inspect.assembly.counts import instructions_of
from gluon_inspect.assembly.isa import InstructionKind, classify, kind_of
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.occupancy import registers_for_more_waves
from gluon_inspect.ir.operations import row_of, ttg
from gluon_inspect.model.access import Direction
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Column, Finding, Metric, Rule, Severity, Table
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.report import Occupancy
from gluon_inspect.model.types import MemDescType, element_bits

_WARPS_TO_HIDE_A_LOAD = 8
"""Two for each of an SM's four schedulers: below it, nothing runs while a load is on its way."""

LOW = Rule(
    code="GI303",
    name="low-occupancy",
    summary="So few warps fit an SM that nothing runs while they wait for memory.",
    what=(
        "An SM (AMD: compute unit or WGP) holds as many CTAs as its registers, shared memory, warp slots and CTA "
        "slots allow. The finding speaks only when fewer than eight warps fit and the kernel does nothing to "
        "work without them: no matrix instruction, no asynchronous copy."
    ),
    why="A warp that waits for a load cannot work; other warps must. With one or two of them, the SM idles.",
    how=(
        "The occupancy calculator's rules on the binary's registers, the shared memory and the warps of a CTA; "
        "its limits equal the profiler's on all recorded H200 launches. A CTA that does not fit at all is an "
        "error."
    ),
    not_modelled="Bytes in flight a warp: a few warps with many wide loads each can be enough.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # 128 KB of shared memory for a tile of 256 x 128: one CTA of four warps an SM
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    x = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 128, layout=gl.SliceLayout(0, layout))
    tile = gl.allocate_shared_memory(gl.float32, [256, 128], shared)
    for i in gl.static_range(8):
        offsets = (i * 32 + x[:, None]) * 128 + y[None, :]
        tile.slice(i * 32, 32).store(gl.load(src + offsets))
    for i in gl.static_range(8):
        offsets = (i * 32 + x[:, None]) * 128 + y[None, :]
        gl.store(dst + offsets, tile.slice(i * 32, 32).load(layout))


src, dst = torch.empty(2, 256 * 128, device="cuda")
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    # 16 KB a CTA: a dozen CTAs an SM
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    x = gl.program_id(0) * 32 + gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 128, layout=gl.SliceLayout(0, layout))
    offsets = x[:, None] * 128 + y[None, :]
    tile = gl.allocate_shared_memory(gl.float32, [32, 128], shared)
    tile.store(gl.load(src + offsets))
    gl.store(dst + offsets, tile.load(layout))


src, dst = torch.empty(2, 256 * 128, device="cuda")
kernel[(8,)](src, dst)
""",
)
RULES = (LOW,)

_RESOURCES = {
    "registers": "registers",
    "scalar_registers": "SGPRs",
    "shared": "shared memory",
    "warps": "warp slots",
    "blocks": "CTA slots",
}


def run(facts: Facts) -> AnalysisResult:
    """Registers, warps and limits as metrics and a table; a finding where they are plainly bad."""
    registers = facts.registers.per_thread
    held = () if registers is None else (Metric("registers_per_thread", "Registers a thread", registers),)
    found = facts.occupancy
    if found is None:
        return AnalysisResult(metrics=held)
    return AnalysisResult(
        findings=_findings(facts, found), tables=(_table(facts, found),), metrics=(*held, *_metrics(facts, found))
    )


def _metrics(facts: Facts, found: Occupancy) -> tuple[Metric, ...]:
    limited = ", ".join(_RESOURCES.get(name, name) for name in found.limited_by)
    return (
        Metric("ctas_per_sm", "CTAs an SM", found.ctas_per_sm),
        Metric("warps_per_sm", "Warps an SM", found.warps),
        Metric("occupancy", "Occupancy", round(found.fraction, 4)),
        Metric("occupancy_limited_by", "Limited by", limited),
        *_amd_metrics(facts),
    )


def _amd_metrics(facts: Facts) -> Iterator[Metric]:
    """AMD's register files, and how far the next wave of a SIMD is."""
    held, target = facts.registers.amd, facts.target
    if held is None or facts.registers.per_thread is None:
        return
    files = {"VGPRs": held.vector, "AGPRs": held.accumulation, "SGPRs": held.scalar}
    known = {name: count for name, count in files.items() if count is not None}
    yield Metric("register_files", "VGPRs, AGPRs, SGPRs", ", ".join(f"{n} {name}" for name, n in known.items()))
    most = registers_for_more_waves(target, facts.registers.per_thread)
    if most is not None:
        fewer = facts.registers.per_thread - most
        kinds = "VGPRs and AGPRs together" if target.has_accumulation_registers else "VGPRs"
        yield Metric("registers_to_next_wave", "One more wave a SIMD", f"with {fewer} {kinds} fewer ({most})")
    spills = {"VGPRs": held.vector_spills, "SGPRs": held.scalar_spills}
    spilled = ", ".join(f"{count} {name}" for name, count in spills.items() if count)
    if spilled:
        yield Metric("spilled_registers", "Spilled", f"{spilled} (SGPRs go to lanes of VGPRs first)")


def _table(facts: Facts, found: Occupancy) -> Table:
    used = {
        "registers": f"{facts.registers.per_thread} a thread",
        "shared": "unknown" if facts.shared_bytes is None else f"{facts.shared_bytes} B a CTA",
        "warps": f"{_warps(facts)} a CTA",
        "blocks": "1",
    }
    if facts.registers.amd is not None:
        used["scalar_registers"] = f"{facts.registers.amd.scalar} a wave"
    rows = tuple(
        (_RESOURCES.get(name, name), used.get(name), limit, name in found.limited_by)
        for name, limit in found.limits.items()
    )
    columns = (Column("resource"), Column("used"), Column("CTAs an SM", "right"), Column("limits"))
    return Table("occupancy", f"Occupancy: {found.warps} warps an SM", columns, rows)


def _warps(facts: Facts) -> int:
    return facts.total_warps or facts.num_warps or 1


def _findings(facts: Facts, found: Occupancy) -> tuple[Finding, ...]:
    if not found.ctas_per_sm:
        return (_unfitting(facts, found),)
    if found.warps >= _WARPS_TO_HIDE_A_LOAD or not _waits_for_memory(facts):
        return ()
    message = f"only {found.warps} warps fit an SM ({found.ctas_per_sm} CTAs)"
    return (_finding(facts, found, Severity.NOTE, message),)


def _unfitting(facts: Facts, found: Occupancy) -> Finding:
    """What does not fit at all; where it is shared memory, with the largest buffer, its line, and the limit."""
    plain = _finding(facts, found, Severity.ERROR, "not one CTA fits an SM")
    limit, held = facts.target.shared_bytes_per_cta, facts.shared_bytes
    largest = max(_buffers(facts), key=lambda each: each[0], default=None)
    if "shared" not in found.limited_by or held is None or held <= limit or largest is None:
        return plain
    size, op = largest
    of = op.results[0].type
    shape = "x".join(map(str, of.shape)) if isinstance(of, MemDescType) else ""
    line = f" of line {op.location.author.line}" if op.location else ""
    message = (
        f"{plain.message}: {held:,} bytes a CTA where {limit:,} are the limit; the largest buffer is the {shape} "
        f"one{line}, {size:,} bytes"
    )
    evidence = {**plain.evidence, "limit_bytes": limit, "buffer_bytes": size, "buffer_shape": shape}
    return replace(plain, message=message, location=op.location, evidence=evidence)


def _buffers(facts: Facts) -> Iterator[tuple[int, Operation]]:
    """Bytes of each allocation in shared memory, padding aside."""
    for op in facts.module.walk() if facts.module is not None else ():
        of = op.results[0].type if row_of(op) is ttg.LOCAL_ALLOC else None
        bits = None if of is None else element_bits(of)
        if isinstance(of, MemDescType) and bits is not None:
            yield prod(of.shape) * bits // 8, op


def _waits_for_memory(facts: Facts) -> bool:
    """Whether the kernel loads to registers and has neither matrix instructions nor asynchronous copies."""
    if facts.assembly is None or not facts.accesses:
        return False
    dialect = facts.assembly.dialect
    for each in instructions_of(facts.assembly, facts.kernel.name):
        memory = classify(dialect, each)
        if memory is not None and memory.direction is Direction.COPY:
            return False
        if kind_of(dialect, each) is InstructionKind.MATRIX:
            return False
    return True


def _finding(facts: Facts, found: Occupancy, severity: Severity, message: str) -> Finding:
    limited = tuple(_RESOURCES.get(name, name) for name in found.limited_by)
    return Finding(
        id=LOW.code,
        rule=LOW.code,
        name=LOW.name,
        severity=severity,
        confidence=Confidence.EXACT,
        model=ModelStatus.VALIDATED if facts.target.name == "cuda:90" else ModelStatus.DOCUMENTED,
        message=f"{message}; limited by {' and '.join(limited)}",
        evidence={
            "registers_per_thread": facts.registers.per_thread,
            "shared_bytes": facts.shared_bytes,
            "warps_per_cta": _warps(facts),
            "ctas_per_sm": found.ctas_per_sm,
            "warps_per_sm": found.warps,
            "limited_by": tuple(found.limited_by),
        },
        help=_help(found, facts),
    )


def _help_of_shared(found: Occupancy, facts: Facts) -> str:
    """Stages only where a loop has several; warps only where the CTA fits and they hide latencies."""
    stages = facts.kernel.metadata.get("num_stages")
    looped = facts.graph is not None and any(row_of(op).loop for op in facts.graph.operations)
    fewer = isinstance(stages, int) and stages > 1 and looped
    what = f"use a smaller tile or fewer stages in shared memory (num_stages is {stages})" if fewer else (
        "use a smaller tile, or go through it in parts"
    )  # fmt: skip
    return f"{what}, or more warps for the same tile" if found.ctas_per_sm else what


def _help(found: Occupancy, facts: Facts) -> str:
    if found.limited_by == ("scalar_registers",):
        return "fewer pointers and strides alive at once: waves of gfx9 share 800 SGPRs a SIMD"
    if "shared" in found.limited_by:
        return _help_of_shared(found, facts)
    if "registers" in found.limited_by:
        return "spread the tile over more warps, or make it smaller"
    return "give the CTA more warps"
