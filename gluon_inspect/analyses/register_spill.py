"""Registers that did not fit and went to the stack."""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.assembly.counts import lines_of_kind
from gluon_inspect.assembly.isa import InstructionKind
from gluon_inspect.assembly.partition_code import stack_instructions
from gluon_inspect.cost.launch import share_of_spills
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.ir.partitions import Partition, specializations
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Finding, Metric, Rule, Severity
from gluon_inspect.model.location import Location

_REGISTER_BYTES = 4
_FEW_BYTES = 32
"""Up to eight registers: usually addresses that are needed once."""
_MANY_BYTES = 256

SPILL = Rule(
    code="GI302",
    name="register-spill",
    summary="The kernel needs more registers a thread than there are; the rest goes to memory and back.",
    what=(
        "The compiler keeps values that find no register on the thread's stack (local memory on NVIDIA, scratch "
        "on AMD). Each use is a load, each change a store, for every thread."
    ),
    why=(
        "Stack traffic goes through the L1 and, where it does not fit, to memory. A kernel whose layouts are "
        "unchanged can be several times slower for this alone."
    ),
    how=(
        "Stack bytes from the cubin's tables (AMD: the metadata of the code object), and the stack instructions "
        "(STL/LDL, scratch_store/scratch_load) with their Python lines. What it loses is the expected time less "
        f"that of the same code without them; severity follows: {THRESHOLDS}. Without a prediction: a note up to "
        "32 bytes a thread, an error from 256 on."
    ),
    not_modelled="What not to spill costs elsewhere: smaller tiles load their operands more often.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # 256 x 256 values over 128 threads: 512 registers a thread, all alive until the maximum is known
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    x = gl.arange(0, 256, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 256, layout=gl.SliceLayout(0, layout))
    offsets = x[:, None] * 256 + y[None, :]
    value = gl.load(src + offsets)
    gl.store(dst + offsets, value - gl.max(value, axis=0)[None, :])


src, dst = torch.empty(2, 256 * 256, device="cuda")
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    # 32 rows at a time: 64 registers a thread
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    x = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 256, layout=gl.SliceLayout(0, layout))
    offsets = x[:, None] * 256 + y[None, :]
    value = gl.load(src + offsets)
    gl.store(dst + offsets, value - gl.max(value, axis=0)[None, :])


src, dst = torch.empty(2, 32 * 256, device="cuda")
kernel[(1,)](src, dst)
""",
)
RULES = (SPILL,)


def run(facts: Facts) -> AnalysisResult:
    """One finding where the binary uses the stack; the stack's size as a metric where it is known."""
    lines = _lines(facts)
    stack = facts.registers.spill_bytes
    metrics = () if stack is None else (Metric("spill_bytes", "Stack a thread (spills)", stack, "B"),)
    if not stack and not lines:
        return AnalysisResult(metrics=metrics)
    return AnalysisResult(findings=(_finding(facts, lines),), metrics=metrics)


def _lines(facts: Facts) -> Mapping[Location | None, int]:
    if facts.assembly is None:
        return {}
    return lines_of_kind(facts.assembly, InstructionKind.LOCAL, facts.kernel.name, facts.kernel.source_file)


def _by_partition(facts: Facts) -> Mapping[str, int]:
    """Stack instructions by the partition's name, most first; empty without partitions."""
    if facts.module is None or facts.assembly is None:
        return {}
    found = stack_instructions(facts.module, facts.assembly, facts.kernel.name)
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _finding(facts: Facts, lines: Mapping[Location | None, int]) -> Finding:
    stack, parts = facts.registers.spill_bytes, _by_partition(facts)
    lost = share_of_spills(facts) if stack or lines else None
    located = {place: count for place, count in lines.items() if place is not None}
    return Finding(
        id=SPILL.code,
        rule=SPILL.code,
        name=SPILL.name,
        severity=severity_of(lost, _severity(stack)),
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=_message(facts, stack, sum(lines.values()), parts),
        location=next(iter(located), None),
        evidence={
            "spill_bytes": stack,
            "registers_per_thread": facts.registers.per_thread,
            "stack_instructions": sum(lines.values()) if facts.assembly else None,
            "lines": tuple(f"{place.line}: {count}" for place, count in located.items())[:5],
        }
        | ({"partitions": tuple(f"{name}: {count}" for name, count in parts.items())} if parts else {}),
        help=_help_of_partition(facts, next(iter(parts))) if parts else _help(facts),
        cost=lost,
    )


def _severity(stack: int | None) -> Severity:
    if stack is None:
        return Severity.WARNING
    if stack <= _FEW_BYTES:
        return Severity.NOTE
    return Severity.ERROR if stack >= _MANY_BYTES else Severity.WARNING


def _message(facts: Facts, stack: int | None, instructions: int, parts: Mapping[str, int]) -> str:
    held = facts.registers.per_thread
    beside = f" beside its {held} registers" if held else ""
    size = f"{stack} bytes of stack a thread{beside}" if stack else f"an unknown amount of stack{beside}"
    moves = f", {instructions} stack instructions in the binary" if instructions else ""
    where = f", {max(parts.values())} of them in {next(iter(parts))}" if parts else ""
    return f"registers spill: {size}{moves}{where}"


def _help_of_partition(facts: Facts, name: str) -> str:
    held = next((part.registers for part in _partitions(facts) if part.name == name), None)
    has = f" (it has {held} a thread)" if held else ""
    return (
        f"give {name} more registers{has} or more warps, or smaller tiles; other partitions must leave them free"
    )


def _partitions(facts: Facts) -> tuple[Partition, ...]:
    if facts.module is None:
        return ()
    return tuple(part for each in specializations(facts.module) for part in each.partitions)


def _help(facts: Facts) -> str:
    """More warps where they bring more registers, else a smaller tile; and which tensor is the largest."""
    tensors = sorted(facts.registers.tensors, key=lambda tensor: -tensor.registers_per_thread)
    largest = tensors[0] if tensors else None
    what = f"{_more_warps(facts)}make the tile smaller"
    if largest is None or not largest.registers_per_thread:
        return what
    shape = "x".join(str(size) for size in largest.shape)
    line = f" at line {largest.location.author.line}" if largest.location else ""
    return f"{what}; the largest tensor ({shape}{line}) takes {largest.registers_per_thread} registers a thread"


def _more_warps(facts: Facts) -> str:
    """Twice the warps, where the register file holds as many of their threads with as many registers each."""
    warps, target = facts.num_warps, facts.target
    if warps is None or (facts.num_ctas or 1) > 1 or facts.total_warps not in (None, warps):
        return ""
    each = target.registers_per_sm // (2 * warps * target.warp_size)
    held = facts.registers.per_thread or target.max_registers_per_thread
    if 2 * warps * target.warp_size > _MOST_THREADS or each < held:
        return ""
    how = f"num_warps={2 * warps}" if "ttir" in facts.kernel.stages else f"a layout over {2 * warps} warps"
    return f"{how} (it has {warps}) halves what a thread holds; or "


_MOST_THREADS = 1024
