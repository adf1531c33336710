"""Everything that is worked out of one kernel before any analysis runs.

What cannot be had (no IR, no assembly, a layout that is not understood) stays None, with the reason in
`problems`; the rest stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from gluon_inspect.assembly.binary import BinaryFacts, read_binary
from gluon_inspect.assembly.counts import author_line, count_by_line, count_static
from gluon_inspect.assembly.line_match import two_address_lines
from gluon_inspect.errors import InspectError
from gluon_inspect.facts.arguments import OpenArguments, open_names
from gluon_inspect.facts.flops import matrix_flops
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.loops import loop_runs
from gluon_inspect.facts.lowered import lowered_operations
from gluon_inspect.facts.movement import memory_traffic, unmodelled
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.facts.reconcile import reconcile
from gluon_inspect.ir.dependence import Dependence, parameter_types
from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.partitions import Specialization, specializations
from gluon_inspect.ir.verify import COUNTS, verified_module
from gluon_inspect.model.access import Access, Conversion
from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.finding import Scalar
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.report import (
    Coverage,
    LineInstructions,
    Occupancy,
    PartitionRegisters,
    Programs,
    Registers,
    RegisterTensor,
)
from gluon_inspect.model.target import Target
from gluon_inspect.model.versions import Version
from gluon_inspect.traffic.launch import (
    Evaluated,
    assumed_launch,
    entry_function,
    evaluate_launch,
)
from gluon_inspect.traffic.register_tensors import register_tensors
from gluon_inspect.traffic.shared.conversions import conversions as layout_conversions
from gluon_inspect.traffic.shared.endpoints import CostedLaunch
from gluon_inspect.traffic.shared.operations import SharedOperation
from gluon_inspect.traffic.tensor.allocation import tensor_memory

IR_STAGES = ("ttgir", "ttir")


class KernelFacts:
    """One compiled kernel: what does not depend on a launch, worked out when asked for and at most once."""

    def __init__(self, kernel: CompiledKernel, target: Target, file: str = "") -> None:
        self.kernel, self.target, self.file = kernel, target, file
        self.problems: list[str] = []
        self.unread = ""

    @cached_property
    def module(self) -> Module | None:
        """The last IR that still has layouts; None if there is none or it cannot be parsed."""
        for stage in IR_STAGES:
            text = self.kernel.stages.get(stage)
            if text:
                return self._parsed(stage, text)
        self.problems.append("no TTGIR: accesses, layouts and conversions are unknown")
        return None

    def _parsed(self, stage: str, text: str) -> Module | None:
        try:
            return verified_module(text, name=self.file or f"{self.kernel.name}.{stage}")
        except InspectError as error:
            self.unread = str(_in_log(error, self.kernel.metadata.get(f"{stage}_line")))
            self.problems.append(self.unread)
            return None

    @cached_property
    def function(self) -> Operation | None:
        """The kernel's function in the IR."""
        return None if self.module is None else entry_function(self.module, self.kernel.name)

    @cached_property
    def graph(self) -> Graph | None:
        """Who makes and uses each value of the IR, in which loops."""
        return None if self.module is None else graph_of(self.module)

    @cached_property
    def version(self) -> Version:
        """The version of Triton that compiled it."""
        return self.kernel.version

    @cached_property
    def dependence(self) -> Dependence:
        """Which parameters decide what each operation does; there must be a function."""
        if self.module is None or self.function is None:
            raise ValueError("no function has no parameters")
        return Dependence(self.function, graph_of(self.module))

    @cached_property
    def tensors(self) -> tuple[RegisterTensor, ...]:
        """The distributed tensors of the kernel."""
        if self.graph is None or self.function is None:
            return ()
        return register_tensors(self.graph.within(self.function))

    @cached_property
    def binary(self) -> BinaryFacts:
        """Assembly, registers and spills."""
        found = read_binary(self.kernel)
        self.problems.extend(found.problems)
        return found

    @cached_property
    def instructions_static(self) -> Mapping[str, int]:
        """Instructions by name and width as they stand in the binary."""
        assembly = self.binary.assembly
        return {} if assembly is None else count_static(assembly, self.kernel.name)

    @cached_property
    def instructions_by_line(self) -> tuple[LineInstructions, ...]:
        """The same for each of the author's lines."""
        assembly = self.binary.assembly
        return () if assembly is None else count_by_line(assembly, self.kernel.name, self.kernel.source_file)

    @cached_property
    def registers(self) -> Registers:
        """Registers a thread as a launch allots them (NVIDIA: 16 at least), spills, tensors."""
        counted = self.binary.registers_per_thread
        allotted = None if counted is None else max(counted, self.target.min_registers_per_thread)
        return Registers(allotted, self.binary.spill_bytes, self.partitions, self.tensors, self.binary.amd)

    @cached_property
    def partitions(self) -> tuple[PartitionRegisters, ...]:
        """Warps and registers of each partition, where the compiler shares registers out."""
        return tuple(
            PartitionRegisters(part.warps, part.registers)
            for each in self.specializations
            for part in each.partitions
            if part.registers is not None
        )

    @cached_property
    def tensor_memory_columns(self) -> int | None:
        """Columns of tensor memory that a CTA takes, 0 where it has none; None where that is not known."""
        told = self.number("ttg.tensor_memory_size", "tmem_size")
        if told is not None:
            return told
        found = None if self.module is None else tensor_memory(self.module)
        return None if found is None or found.problems else found.allocated_columns

    def occupancy(self, shared_bytes: int | None, warps: int | None) -> Occupancy | None:
        """CTAs and warps an SM holds; None where registers, shared memory or warps are unknown."""
        registers = self.registers.per_thread
        if registers is None or shared_bytes is None or warps is None:
            return None
        scalar = None if self.registers.amd is None else self.registers.amd.scalar
        return occupancy(self.target, registers, shared_bytes, warps, scalar)

    @cached_property
    def total_warps(self) -> int | None:
        """Warps that a CTA is launched with: those of partitions, which TTGIR does not count yet, included."""
        told = self.number("ttg.total-num-warps", "total_num_warps")
        return told or max((each.total_warps for each in self.specializations), default=None)

    @cached_property
    def specializations(self) -> tuple[Specialization, ...]:
        """Every warp-specialised region of the kernel."""
        return () if self.module is None else specializations(self.module)

    def number(self, attribute: str, metadata: str) -> int | None:
        """A whole number that the module's attributes or the compiler's metadata give."""
        found = self.module.attributes.get(attribute) if self.module is not None else None
        given = found if isinstance(found, int) else self.kernel.metadata.get(metadata)
        least, most = COUNTS[attribute]
        if isinstance(given, int) and not least <= given <= most:
            told = f"the compiler's metadata give a {metadata} of {given}: it is taken to be unknown"
            self.problems.extend([told] if told not in self.problems else [])
            return None
        return int(given) if isinstance(given, int) else None


def _in_log(error: InspectError, first: Scalar) -> InspectError:
    """An error in a module that stands in a longer log from its line `first` on, at the log's own line."""
    if not isinstance(first, int) or error.position is None:
        return error
    place = replace(error.position, line=error.position.line + first - 1)
    return InspectError(error.message, position=place, hint=error.hint, excerpt=error.excerpt)


def facts_of(known: KernelFacts, launch: Launch, programs: int | None) -> Facts:
    """The facts of one launch. `programs`: None as many as is cheap, 0 all."""
    warps = known.number("ttg.num-warps", "num_warps")
    evaluated = _evaluate(known, launch, programs, warps or 4)
    assumed = _assume(known, launch, evaluated, warps or 4)
    total_warps = known.total_warps or warps
    shared_bytes = known.number("ttg.shared", "shared")
    operations = _lowered(known, evaluated)
    accesses, conversions = _resting(known, launch, *_memory(known, evaluated, assumed, operations))
    matched = reconcile(known.binary.assembly, known.kernel.name, accesses, known.kernel.source_file)
    return Facts(
        kernel=known.kernel,
        launch=launch,
        target=known.target,
        module=known.module,
        graph=known.graph,
        version=known.version,
        shared=operations,
        bulk={} if evaluated is None else evaluated.bulk,
        assembly=known.binary.assembly,
        num_warps=warps,
        num_ctas=known.number("ttg.num-ctas", "num_ctas"),
        total_warps=total_warps,
        programs=Programs(None, None) if evaluated is None else evaluated.programs,
        accesses=accesses,
        conversions=conversions,
        registers=known.registers,
        shared_bytes=shared_bytes,
        occupancy=known.occupancy(shared_bytes, total_warps),
        instructions_static=known.instructions_static,
        instructions_executed=matched.executed,
        instructions_by_line=known.instructions_by_line,
        tensor_memory_columns=known.tensor_memory_columns,
        coverage=_coverage(known, accesses),
        problems=(*known.problems, *matched.missing),
        unread=known.unread,
        flops=None if evaluated is None else matrix_flops(evaluated.operations, evaluated.executions),
        loops=()
        if evaluated is None
        else loop_runs(evaluated.function, evaluated.executions, evaluated.longest, accesses),
    )


def _lowered(known: KernelFacts, evaluated: Evaluated | None) -> tuple[SharedOperation, ...]:
    module, graph = known.module, known.graph
    if evaluated is None or module is None or graph is None:
        return ()
    return lowered_operations(
        module,
        graph,
        known.target,
        known.version,
        evaluated.executions,
        evaluated.accesses,
        evaluated.scale,
        _two_address_reads(known, module),
    )


def _two_address_reads(known: KernelFacts, module: Module) -> frozenset[int]:
    """Operations at lines whose 64-bit LDS reads LLVM joined into ds_read2_b64 and its kin."""
    assembly = known.binary.assembly
    if known.target.backend != "hip" or assembly is None:
        return frozenset()
    file = known.kernel.source_file
    lines = two_address_lines(assembly, known.kernel.name, file)
    places = ((op.span.start, author_line(op.location, file)) for op in module.walk() if op.location is not None)
    return frozenset(start for start, place in places if (place.file, place.line) in lines)


def _memory(
    known: KernelFacts,
    evaluated: Evaluated | None,
    assumed: Evaluated | None,
    operations: tuple[SharedOperation, ...],
) -> tuple[tuple[Access, ...], tuple[Conversion, ...]]:
    """Accesses, global ones first, and layout conversions; none without an evaluation."""
    module, graph = known.module, known.graph
    if evaluated is None or module is None or graph is None:
        return (), ()
    compared = assumed or evaluated
    launch = CostedLaunch(
        graph,
        known.target,
        known.version,
        compared.accesses,
        compared.executions,
        is_assumed=assumed is not None,
    )
    moved = layout_conversions(module, operations, launch, evaluated.executions)
    return memory_traffic(module, known.target, evaluated, assumed, known.version, operations), moved


def _resting(
    known: KernelFacts, launch: Launch, accesses: tuple[Access, ...], conversions: tuple[Conversion, ...]
) -> tuple[tuple[Access, ...], tuple[Conversion, ...]]:
    """The same, those that depend on an argument without a given value saying so."""
    if known.function is None or not open_names(parameter_types(known.function), launch):
        return accesses, conversions
    found = OpenArguments(known.dependence, launch)
    return tuple(map(found.access, accesses)), tuple(map(found.conversion, conversions))


def _evaluate(known: KernelFacts, launch: Launch, programs: int | None, warps: int) -> Evaluated | None:
    if known.module is None or known.function is None:
        return None
    if programs is None:
        return evaluate_launch(known.module, known.function, launch, known.target, warps)
    limit = programs or None
    return evaluate_launch(known.module, known.function, launch, known.target, warps, limit, runs=None)


def _assume(known: KernelFacts, launch: Launch, evaluated: Evaluated | None, warps: int) -> Evaluated | None:
    """The same under assumed arguments, where arguments or grid are missing and something is unknown."""
    if evaluated is None or not any(access.tally.unknown for access in evaluated.accesses.values()):
        return None
    stand_in = assumed_launch(evaluated.function, launch)
    if stand_in == launch:
        return None
    return _evaluate(known, stand_in, 1, warps)


def _coverage(known: KernelFacts, accesses: tuple[Access, ...]) -> Coverage:
    if known.module is None:
        return Coverage()
    operations = graph_of(known.module).operations
    unknown = Counter(op.name for op in operations if op.name in known.module.opaque_names)
    total = len(operations)
    return Coverage(total, total - sum(unknown.values()), dict(unknown), dict(unmodelled(known.module, accesses)))
