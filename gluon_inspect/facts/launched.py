"""What the pipeline works out before any analysis runs; analyses read it and return data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gluon_inspect.ir.graph import Graph
from gluon_inspect.model.access import Access, Conversion
from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.asm import Assembly
from gluon_inspect.model.cost import KernelCost
from gluon_inspect.model.loops import LoopRun
from gluon_inspect.model.mlir import Module
from gluon_inspect.model.report import Coverage, LineInstructions, Occupancy, PassEntry, Programs, Registers
from gluon_inspect.model.target import Target
from gluon_inspect.model.versions import NEWEST, Version
from gluon_inspect.traffic.bulk.copies import BulkAccess
from gluon_inspect.traffic.shared.operations import SharedOperation


@dataclass(frozen=True, slots=True)
class Facts:
    """One kernel x launch, evaluated. None: not available, with the reason in `problems`."""

    kernel: CompiledKernel
    launch: Launch
    target: Target
    module: Module | None
    assembly: Assembly | None
    num_warps: int | None
    num_ctas: int | None
    programs: Programs
    accesses: tuple[Access, ...]
    conversions: tuple[Conversion, ...]
    registers: Registers
    shared_bytes: int | None
    occupancy: Occupancy | None
    graph: Graph | None = None
    """Who makes and uses each value; None without a module."""
    version: Version = NEWEST
    shared: tuple[SharedOperation, ...] = ()
    """The operations that touch shared memory, lowered."""
    bulk: Mapping[int, tuple[BulkAccess, ...]] = field(default_factory=dict[int, tuple[BulkAccess, ...]])
    """Copies of boxes between global and shared memory, by the span start of their operation."""
    total_warps: int | None = None
    tensor_memory_columns: int | None = None
    passes: tuple[PassEntry, ...] = ()
    instructions_static: Mapping[str, int] = field(default_factory=dict[str, int])
    instructions_executed: Mapping[str, int] = field(default_factory=dict[str, int])
    instructions_by_line: tuple[LineInstructions, ...] = ()
    coverage: Coverage = Coverage()
    problems: tuple[str, ...] = ()
    unread: str = ""
    """Why the IR that is there could not be read; empty where it was, or where there is none."""
    flops: int | None = None
    """Operations of the launch's matrix products; 0 where it has none, None where unknown."""
    loops: tuple[LoopRun, ...] = ()
    """The outermost loops of the IR, with the trips of this launch."""
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """Texts of the author's files, by path, as far as they are known."""
    cost: KernelCost | None = None
    """Expected time; None where grid, warps or all global traffic are unknown."""

    def shared_operation(self, access: Access) -> SharedOperation | None:
        """The operation of a record of shared memory; several that begin at one place are told apart by name."""
        found = (each for each in self.shared if each.op.span.start == access.result_of)
        return next((each for each in found if each.op.name == access.op), None)

    def lost_fraction(self, access_id: str) -> float | None:
        """Share of the expected time that an access loses to its pattern; None where nothing is predicted."""
        return None if self.cost is None else self.cost.lost_fraction(access_id)
