"""The share of a loop's time that its matrix instructions keep their unit busy: a static bound.

AMD: one wave of the loop is issued in order, iteration after iteration, until the time of one no longer
changes. Waits (s_waitcnt, s_wait_*) end when the operations they count have come back; each LDS instruction
occupies the LDS for its bytes, for one wave a SIMD. NVIDIA: SASS names no waits, so the bound is issue slots.
Other resident waves fill gaps that this bound counts; barriers and cache misses make more of them.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from gluon_inspect.assembly import isa
from gluon_inspect.assembly.isa.matrix import matrix_cycles
from gluon_inspect.assembly.loops import Loop, innermost_loops
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.asm import Assembly, Function, Instruction, MemoryInstruction
from gluon_inspect.model.location import Location
from gluon_inspect.model.target import Target

GLOBAL_LATENCY_CYCLES = 500
"""An L2 hit to a miss on CDNA 3 takes 300 to 800 cycles (published pointer-chasing measurements)."""
LDS_LATENCY_CYCLES = 64
"""The least that CDNA's LDS takes (rocprof-compute documentation, LDS pipeline)."""
_LDS_BYTES_PER_CYCLE = 128
_ITERATIONS = 4

_WAITCNT = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")
_WAIT = re.compile(r"s_wait_(\w+?)cnt(?:_(ds)cnt)?$")


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
        memory_wait_cycles=wave.waits["vm"] + wave.waits["async"],
        lds_wait_cycles=wave.waits["lgkm"],
        lds_instructions=kinds.count(isa.InstructionKind.SHARED),
        arithmetic_instructions=kinds.count(isa.InstructionKind.ARITHMETIC),
    )


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
    waits: dict[str, float] = field(default_factory=dict[str, float])
    queues: dict[str, deque[float]] = field(default_factory=dict[str, deque[float]])

    def iterate(self, body: list[Instruction], kinds: list[isa.InstructionKind]) -> None:
        """One pass through the loop; the sums are those of the last pass."""
        start, self.issue_cycles = self.now, 0.0
        self.waits = dict.fromkeys(("vm", "lgkm", "async"), 0.0)
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
        elif self.dialect == isa.Dialect.AMDGCN:
            self._memory(instruction)
            self._wait(instruction)
        self.now += self._issue_each
        self.issue_cycles += self._issue_each

    def _memory(self, instruction: Instruction) -> None:
        memory = isa.classify(self.dialect, instruction)
        if memory is None or self._is_uncounted(memory):
            return
        if memory.space is Space.SHARED:
            wave_bytes = (memory.bits or 0) * self.target.warp_size // 8
            busy = wave_bytes * self.target.simds_per_sm / _LDS_BYTES_PER_CYCLE
            self.lds_free = max(self.lds_free, self.now) + busy
            self._queue("lgkm").append(self.lds_free + LDS_LATENCY_CYCLES)
        elif memory.space is Space.SCALAR:
            self._queue("lgkm").append(self.now + GLOBAL_LATENCY_CYCLES)
        elif "async" in instruction.opcode or "tensor" in instruction.opcode:
            self._queue("async").append(self.now + GLOBAL_LATENCY_CYCLES)
        else:
            self._queue("vm").append(self.now + GLOBAL_LATENCY_CYCLES)

    def _is_uncounted(self, memory: MemoryInstruction) -> bool:
        """From GFX10 on, stores to memory have a counter of their own, which no loop waits for."""
        stores = memory.space is Space.GLOBAL and memory.direction is Direction.STORE
        return stores and self.target.warp_size == 32

    def _wait(self, instruction: Instruction) -> None:
        for name, allowed in _awaited(instruction):
            queue = self._queue(name)
            while len(queue) > allowed:
                done = queue.popleft()
                self.waits[name] += max(0.0, done - self.now)
                self.now = max(self.now, done)

    def _queue(self, name: str) -> deque[float]:
        return self.queues.setdefault(name, deque())


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
