"""The expected time of a launch as the pipeline knows it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from gluon_inspect.assembly.counts import on_lines_of
from gluon_inspect.cost.code import code_of
from gluon_inspect.cost.model import Work, kernel_cost, kernel_seconds
from gluon_inspect.cost.program import Act, Step, work_of
from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import row_of, ttg
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.asm import Instruction
from gluon_inspect.model.cost import KernelCost
from gluon_inspect.model.mlir import Module


def launch_cost(facts: Facts) -> KernelCost | None:
    """Expected time of a kernel's launch; None where grid, warps or all global traffic are unknown."""
    work = work_of_launch(facts)
    return None if work is None else kernel_cost(work, facts.accesses)


def share_saved(
    facts: Facts,
    *,
    without: Callable[[Instruction], bool] | None = None,
    accesses: Sequence[Access] | None = None,
) -> float | None:
    """Share of the expected time (0 to 1) that a change gives back, by applying it in the model.

    `without`: instructions that the changed kernel has no need of; `accesses`: its traffic, the launch's own where
    None. None where no time is expected, or instructions would go and the model does not issue them.
    """
    work = work_of_launch(facts)
    if work is None or facts.cost is None or not facts.cost.seconds:
        return None
    if without is not None:
        if work.code is None or not facts.cost.has_code:
            return None
        work = replace(work, code=work.code.without(without))
    changed = kernel_seconds(work, facts.accesses if accesses is None else accesses)
    return max(0.0, 1.0 - changed / facts.cost.seconds)


def share_of_width(
    facts: Facts, accesses: Collection[Access], factor: float, *, awaited: bool = True
) -> float | None:
    """Share of the expected time that goes if accesses move `factor` times as much by each instruction.

    Instructions that compute their addresses and masks go with them. Not `awaited`: loads become copies to shared
    memory that nothing waits for, as in a pipelined loop, and the stores of what they loaded go. None where no
    time is expected; where the code is not issued, by the traffic alone.
    """
    work = work_of_launch(facts)
    if work is None or facts.cost is None or not facts.cost.seconds:
        return None
    wide = [_widened(each, factor) if each in accesses else each for each in facts.accesses]
    if work.code is None or not facts.cost.has_code:
        return share_saved(facts, accesses=wide)
    is_theirs = on_lines_of((each.location for each in accesses), facts.kernel.source_file)
    accesses_shared = any(a.space is Space.SHARED for a in accesses)

    def edit(each: Instruction, step: Step) -> tuple[Step, float]:
        if not is_theirs(each.location):
            return step, 1.0
        if step.work.act is Act.SHARED_STORE and not awaited:
            return step, 0.0
        if step.work.act in (_SHARED if accesses_shared else _MOVING):
            bits = min(_WIDEST_BITS, round(step.work.bits * factor))
            moved = replace(step, work=replace(step.work, bits=bits))
            if step.work.act is Act.LOAD and not awaited:
                moved = replace(moved, writes=-1, work=replace(moved.work, act=Act.COPY))
            return moved, 1.0 / factor
        return step, 1.0 / factor if step.work.act is Act.COMPUTE else 1.0

    code = work.code.edited(edit)
    changed = kernel_seconds(replace(work, code=code), wide)
    return max(0.0, 1.0 - changed / facts.cost.seconds)


_WIDEST_BITS = 128
_MOVING = (Act.LOAD, Act.STORE, Act.COPY)
_SHARED = (Act.SHARED_LOAD, Act.SHARED_STORE)


def _widened(access: Access, factor: float) -> Access:
    """The access in as many fewer requests, each sector touched once, each bank asked for whole words."""
    if access.space is Space.SHARED and access.wavefronts is not None and access.requests is not None:
        fewer = max(access.wavefronts_ideal or 0, round(access.wavefronts / factor))
        return replace(access, requests=max(1, round(access.requests / factor)), wavefronts=fewer)
    if access.requests is None or access.sectors is None or access.sectors_ideal is None:
        return access
    instructions = access.warp_instructions
    return replace(
        access,
        requests=max(1, round(access.requests / factor)),
        sectors=access.sectors_ideal,
        warp_instructions=None if instructions is None else max(1, round(instructions / factor)),
        locality=None if access.sectors != access.sectors_ideal else access.locality,
    )


def share_of_spills(facts: Facts) -> float | None:
    """Share of the expected time that goes into the traffic of spilled registers; None where none is expected."""
    work = work_of_launch(facts)
    if work is None or facts.cost is None or not facts.cost.seconds:
        return None
    code = None if work.code is None else work.code.without(_is_local)
    changed = kernel_seconds(replace(work, code=code, spill_bytes=0), facts.accesses)
    return max(0.0, 1.0 - changed / facts.cost.seconds)


def _is_local(instruction: Instruction) -> bool:
    return work_of(instruction.opcode).act in (Act.LOCAL_LOAD, Act.LOCAL_STORE)


def work_of_launch(facts: Facts) -> Work | None:
    """A launch as the cost model sees it; None where grid or warps are unknown, or not one CTA fits an SM."""
    programs, warps = facts.programs.total, facts.num_warps
    fits = facts.occupancy is None or facts.occupancy.ctas_per_sm > 0
    if not programs or not warps or not fits:
        return None
    return Work(
        target=facts.target,
        programs=programs * (facts.num_ctas or 1),
        num_warps=facts.total_warps or warps,
        occupancy=facts.occupancy,
        instructions=_instructions(facts),
        spill_bytes=facts.registers.spill_bytes or 0,
        shared_bytes=facts.shared_bytes or 0,
        code=None
        if facts.assembly is None
        else code_of(facts.assembly, facts.kernel.name, facts.loops, _loads(facts, programs)),
        flops=facts.flops,
        source_file=facts.kernel.source_file,
    )


def _loads(facts: Facts, programs: int) -> float | None:
    """Global loads that a mean warp executes, as the accesses tell; None where one is not known."""
    loads = [a for a in facts.accesses if a.space is Space.GLOBAL and a.direction is Direction.LOAD]
    counts = [a.warp_instructions for a in loads]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts) or not facts.num_warps:
        return None
    return sum(known) / programs / facts.num_warps


def _instructions(facts: Facts) -> float | None:
    """Instructions of one warp: those in the binary where nothing repeats; else the model counts accesses."""
    if facts.module is None or not facts.instructions_static or _repeats(facts.module):
        return None
    return float(sum(facts.instructions_static.values()))


def _repeats(module: Module) -> bool:
    """Whether bodies run a number of times that static counts do not tell."""
    rows = map(row_of, graph_of(module).operations)
    return any(row.loop or row.kind is OperationKind.CALL or row is ttg.WARP_SPECIALIZE for row in rows)
