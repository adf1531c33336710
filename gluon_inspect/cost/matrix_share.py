"""The share of a loop's time that its matrix instructions keep their unit busy: a static bound.

AMD: one wave of the loop is issued in order, iteration after iteration, until the time of one no longer
changes. Waits (s_waitcnt, s_wait_*) end when the operations they count have come back; each LDS instruction
occupies the LDS for its bytes, for one wave a SIMD. Vector work runs beside the matrix unit, but not beside what
LLVM's scheduling models put on the vector unit itself: WMMA of RDNA, and products of doubles. NVIDIA: SASS names
no waits, so the bound is issue slots. Other resident waves fill gaps that this bound counts; barriers and cache
misses make more of them.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from gluon_inspect.assembly import isa
from gluon_inspect.assembly.isa.matrix import matrix_cycles
from gluon_inspect.assembly.loops import Loop, innermost_loops
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.asm import Assembly, Function, Instruction, MemoryInstruction
from gluon_inspect.model.location import Location
from gluon_inspect.model.target import Target
from gluon_inspect.targets.amd_matrix import parse_name

GLOBAL_LATENCY_CYCLES = 500
"""An L2 hit to a miss on CDNA 3 takes 300 to 800 cycles (published pointer-chasing measurements)."""
SPILL_LATENCY_CYCLES = 120
"""A scratch reload that hits the vL1D: assumed, no measurement was looked up."""
_WIDE_READS = (64, 128)
"""Bits a lane at which MI350's LDS gives 256 bytes a cycle (`targets.lds`)."""
_NARROW_BYTES_PER_CYCLE = 128
_ITERATIONS = 4

_WAITCNT = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")
_WAIT = re.compile(r"s_wait_(\w+?)cnt(?:_(ds)cnt)?$")


class Awaited(StrEnum):
    """What a wait can be for."""

    MEMORY = "loads from memory"
    STORES = "stores to memory"
    SPILLS = "spill reloads"
    LDS = "LDS"
    SCALAR = "scalar loads"
    DIRECT = "copies to LDS"


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait instruction: `counter` as the instruction names it, how many may stay, cycles it costs, for what.

    `awaited` is the instruction that kept it last, None where nothing did.
    """

    location: Location | None
    counter: str
    allowed: int
    cycles: float
    kind: Awaited | None = None
    awaited: Instruction | None = None


@dataclass(frozen=True, slots=True)
class MatrixLoop:
    """One loop with matrix instructions; cycles and counts are those of one iteration and one wave.

    `cycles` is the bound on the iteration; waits are those that nothing else of the wave covers.
    """

    location: Location | None
    instructions: int
    matrix_instructions: int
    matrix_cycles: float
    cycles: float
    issue_cycles: float
    memory_wait_cycles: float
    lds_wait_cycles: float
    lds_instructions: int
    arithmetic_instructions: int
    spill_wait_cycles: float = 0.0
    spill_instructions: int = 0
    barriers: int = 0
    idle_cycles: float = 0.0
    """Cycles of s_nop."""
    waits: tuple[Wait, ...] = ()
    """AMD: every wait instruction, in order."""

    @property
    def share(self) -> float:
        """Matrix cycles over the bound on the iteration, at most 1."""
        return min(1.0, self.matrix_cycles / self.cycles) if self.cycles else 0.0


def matrix_loops(assembly: Assembly, target: Target) -> tuple[MatrixLoop, ...]:
    """The innermost loops that hold matrix instructions whose rate is known, in order."""
    if assembly.dialect == isa.Dialect.PTX:
        return ()
    found = (
        _measured(function, loop, assembly.dialect, target)
        for function in assembly.functions
        for loop in innermost_loops(function)
    )
    return tuple(loop for loop in found if loop is not None)


def _measured(function: Function, loop: Loop, dialect: str, target: Target) -> MatrixLoop | None:
    body = [each for each in function.instructions[loop.first : loop.last + 1] if isa.is_executed(each)]
    kinds = [isa.kind_of(dialect, each) for each in body]
    matrix = [each for each, kind in zip(body, kinds, strict=True) if kind is isa.InstructionKind.MATRIX]
    cycles = [matrix_cycles(target.name, each) for each in matrix]
    known = [each for each in cycles if each is not None]
    if not matrix or len(known) < len(cycles):
        return None
    wave = _Wave(target, dialect)
    for _ in range(_ITERATIONS):
        wave.iterate(body, kinds)
    return MatrixLoop(
        location=next((each.location for each in matrix if each.location), None),
        instructions=len(body),
        matrix_instructions=len(matrix),
        matrix_cycles=sum(known),
        cycles=wave.iteration_cycles,
        issue_cycles=wave.issue_cycles,
        memory_wait_cycles=sum(wave.cost(kind) for kind in _FROM_MEMORY),
        lds_wait_cycles=wave.cost(Awaited.LDS),
        lds_instructions=kinds.count(isa.InstructionKind.SHARED),
        arithmetic_instructions=kinds.count(isa.InstructionKind.ARITHMETIC),
        spill_wait_cycles=wave.cost(Awaited.SPILLS),
        spill_instructions=kinds.count(isa.InstructionKind.LOCAL),
        barriers=sum(each.opcode.startswith(_BARRIERS) for each in body),
        idle_cycles=wave.idle_cycles,
        waits=tuple(wave.waits),
    )


_FROM_MEMORY = (Awaited.MEMORY, Awaited.STORES, Awaited.SCALAR, Awaited.DIRECT)
_BARRIERS = ("s_barrier_wait", "s_barrier")


@dataclass(frozen=True, slots=True)
class _Flight:
    """An operation under way: when it is back, what it is."""

    done: float
    kind: Awaited
    instruction: Instruction


@dataclass(slots=True)
class _Wave:
    """One wave's clock and what it waits for."""

    target: Target
    dialect: str
    now: float = 0.0
    matrix_free: float = 0.0
    lds_free: float = 0.0
    iteration_cycles: float = 0.0
    issue_cycles: float = 0.0
    idle_cycles: float = 0.0
    vector_free: float = 0.0
    waits: list[Wait] = field(default_factory=list[Wait])
    queues: dict[str, deque[_Flight]] = field(default_factory=dict[str, deque[_Flight]])

    def cost(self, kind: Awaited) -> float:
        """Cycles of the last iteration that waits for one kind of operation took."""
        return sum(wait.cycles for wait in self.waits if wait.kind is kind)

    def iterate(self, body: list[Instruction], kinds: list[isa.InstructionKind]) -> None:
        """One pass through the loop; the sums are those of the last pass."""
        start, self.issue_cycles, self.idle_cycles = self.now, 0.0, 0.0
        self.waits = []
        for instruction, kind in zip(body, kinds, strict=True):
            self._issue(instruction, kind)
        self.iteration_cycles = self.now - start

    @property
    def _issue_each(self) -> float:
        """A wave64 takes four cycles on a SIMD of 16 lanes, a wave32 or a warp one."""
        return 4.0 if self.target.warp_size == 64 else 1.0

    def _issue(self, instruction: Instruction, kind: isa.InstructionKind) -> None:
        if kind is isa.InstructionKind.MATRIX:
            self.now = max(self.now, self.matrix_free)
            self.matrix_free = self.now + (matrix_cycles(self.target.name, instruction) or 0.0)
            if _is_vector_work(instruction, self.target):
                self.vector_free = self.matrix_free
        elif self.dialect == isa.Dialect.AMDGCN:
            if instruction.opcode.startswith("v_"):
                self.now = max(self.now, self.vector_free)
            self._memory(instruction)
            self._wait(instruction)
            self._idle(instruction)
        self.now += self._issue_each
        self.issue_cycles += self._issue_each

    def _idle(self, instruction: Instruction) -> None:
        """s_nop N waits N + 1 issue slots, one of which is its own."""
        if instruction.opcode == "s_nop" and instruction.operands:
            idle = int(instruction.operands[0], 0) * self._issue_each
            self.now += idle
            self.idle_cycles += idle + self._issue_each

    def _memory(self, instruction: Instruction) -> None:
        memory = isa.classify(self.dialect, instruction)
        if memory is None or self._is_uncounted(memory):
            return
        if memory.space is Space.SHARED:
            self.lds_free = max(self.lds_free, self.now) + self._lds_cycles(memory)
            self._fly("lgkm", self.lds_free + self.target.shared_latency_cycles, Awaited.LDS, instruction)
        elif memory.space is Space.SCALAR:
            self._fly("lgkm", self.now + GLOBAL_LATENCY_CYCLES, Awaited.SCALAR, instruction)
        elif memory.local:
            self._fly("vm", self.now + SPILL_LATENCY_CYCLES, Awaited.SPILLS, instruction)
        else:
            kind = _memory_kind(memory)
            name = "async" if "async" in instruction.opcode or "tensor" in instruction.opcode else "vm"
            self._fly(name, self.now + GLOBAL_LATENCY_CYCLES, kind, instruction)

    def _lds_cycles(self, memory: MemoryInstruction) -> float:
        """Cycles of the LDS for one instruction of one wave of every SIMD."""
        wave_bytes = (memory.bits or 0) * self.target.warp_size // 8
        rate = self.target.shared_write_bytes_per_cycle
        if memory.direction is Direction.LOAD:
            is_wide = (
                memory.bits in _WIDE_READS or self.target.shared_read_bytes_per_cycle <= _NARROW_BYTES_PER_CYCLE
            )
            rate = self.target.shared_read_bytes_per_cycle if is_wide else _NARROW_BYTES_PER_CYCLE
        return wave_bytes * self.target.simds_per_sm / rate

    def _is_uncounted(self, memory: MemoryInstruction) -> bool:
        """From GFX10 on, stores to memory have a counter of their own, which no loop waits for."""
        stores = memory.space is Space.GLOBAL and memory.direction is Direction.STORE
        return stores and self.target.warp_size == 32

    def _wait(self, instruction: Instruction) -> None:
        for name, allowed in _awaited(instruction):
            queue, start, last = self._queue(name), self.now, None
            while len(queue) > allowed:
                flight = queue.popleft()
                if flight.done > self.now:
                    self.now, last = flight.done, flight
            kind, by = (None, None) if last is None else (last.kind, last.instruction)
            self.waits.append(Wait(instruction.location, _NAMES[name], allowed, self.now - start, kind, by))

    def _fly(self, counter: str, done: float, kind: Awaited, instruction: Instruction) -> None:
        self._queue(counter).append(_Flight(done, kind, instruction))

    def _queue(self, name: str) -> deque[_Flight]:
        return self.queues.setdefault(name, deque())


def _memory_kind(memory: MemoryInstruction) -> Awaited:
    if memory.direction is Direction.STORE:
        return Awaited.STORES
    return Awaited.DIRECT if memory.direction is Direction.COPY else Awaited.MEMORY


def _is_vector_work(instruction: Instruction, target: Target) -> bool:
    """LLVM's SISchedule: WMMA of RDNA 3 and 4, products of doubles and gfx1250's of floats are on HWVALU."""
    found = parse_name(instruction.opcode)
    if found is None:
        return False
    return (
        target.architecture.startswith("RDNA")
        or found.type == "f64"
        or (target.warp_size == 32 and found.type == "f32")
    )


_NAMES = {"vm": "vmcnt", "lgkm": "lgkmcnt", "async": "asynccnt"}


def _awaited(instruction: Instruction) -> list[tuple[str, int]]:
    """(counter, operations that may still be under way) of a wait; nothing for anything else."""
    if instruction.opcode == "s_waitcnt":
        return [("vm" if name == "vmcnt" else "lgkm", int(n)) for name, n in _WAITCNT.findall(instruction.text)]
    match = _WAIT.match(instruction.opcode)
    if match is None or not instruction.operands:
        return []
    count = int(instruction.operands[0], 0)
    if match[2]:
        return [("vm", count >> 8), ("lgkm", count & 0xFF)]
    counter = _COUNTERS.get(match[1])
    return [(counter, count)] if counter else []


_COUNTERS = {"load": "vm", "ds": "lgkm", "km": "lgkm", "async": "async", "tensor": "async"}
