"""Assembly as data: SASS, PTX and AMDGCN share one instruction record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.location import Location


@dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction.

    `opcode` is the whole mnemonic with modifiers ("LDG.E.128", "global_load_dwordx4"); `root` its first
    part. `predicate` is the guard as written ("@!P0") or empty. `offset` in bytes, -1 where not printed.
    `control` is the scheduling annotation of SASS, or empty. `text` is the instruction without it.
    """

    opcode: str
    root: str
    operands: tuple[str, ...]
    predicate: str
    offset: int
    text: str
    location: Location | None = None
    control: str = ""
    ptx_line: int = 0
    """The PTX line it comes from: in SASS as the line table says, in PTX its own; 0 where unknown."""
    text_line: int = 0
    """The 1-based line of the text it was read from; 0 where unknown."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a binary: instructions in order and labels (name -> index of the next instruction)."""

    name: str
    instructions: tuple[Instruction, ...]
    labels: Mapping[str, int] = field(default_factory=dict[str, int])
    metadata: Mapping[str, int | str] = field(default_factory=dict[str, "int | str"])


@dataclass(frozen=True, slots=True)
class Assembly:
    """A disassembled binary. `dialect` is "sass", "ptx" or "amdgcn"."""

    dialect: str
    functions: tuple[Function, ...]
    metadata: Mapping[str, int | str] = field(default_factory=dict[str, "int | str"])


@dataclass(frozen=True, slots=True)
class AmdRegisters:
    """AMD's three files: VGPRs and AGPRs a lane (one file on gfx9), SGPRs a wave, and registers that were spilled.

    Spilled SGPRs go to lanes of VGPRs first, so they need no scratch. None: the compiler does not say.
    """

    vector: int | None = None
    accumulation: int | None = None
    scalar: int | None = None
    vector_spills: int | None = None
    scalar_spills: int | None = None


@dataclass(frozen=True, slots=True)
class BinaryFunction:
    """What a binary says of one function without being run; None: the binary does not say.

    `registers` a thread as the compiler counted them (before the hardware's rounding), `stack_bytes` a
    thread (spills and local arrays).
    """

    name: str
    code_bytes: int
    registers: int | None = None
    stack_bytes: int | None = None
    is_entry: bool = False
    """A kernel, which can be launched; others are called."""
    amd: AmdRegisters | None = None


@dataclass(frozen=True, slots=True)
class Binary:
    """A binary's functions and target ("sm_90"), read from its ELF tables."""

    architecture: str
    functions: tuple[BinaryFunction, ...]


@dataclass(frozen=True, slots=True)
class MemoryInstruction:
    """What one instruction does to memory.

    `bits` a lane moves, None where that is no fixed number (bulk and tensor copies). `destination` is where
    a `copy` writes (an LDGSTS is a global copy to shared memory). `local` marks stack traffic: spills.
    """

    space: Space
    direction: Direction
    bits: int | None
    destination: Space | None = None
    local: bool = False
