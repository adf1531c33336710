"""The expected time of a launch as the pipeline knows it."""

from __future__ import annotations

from gluon_inspect.cost.code import code_of
from gluon_inspect.cost.model import Work, kernel_cost
from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import row_of, ttg
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.cost import KernelCost
from gluon_inspect.model.mlir import Module


def launch_cost(facts: Facts) -> KernelCost | None:
    """Expected time of a kernel's launch; None where grid, warps or all global traffic are unknown."""
    programs, warps = facts.programs.total, facts.num_warps
    if not programs or not warps:
        return None
    work = Work(
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
    return kernel_cost(work, facts.accesses)


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
