"""Instruction sets as tables: what an instruction does to memory, what kind it is, how it is counted."""

from __future__ import annotations

from enum import StrEnum

from gluon_inspect.assembly.isa import amdgcn, ptx, sass
from gluon_inspect.assembly.isa.kind import InstructionKind
from gluon_inspect.model.asm import Instruction, MemoryInstruction

__all__ = ["Dialect", "InstructionKind", "classify", "counted_name", "is_executed", "kind_of"]


class Dialect(StrEnum):
    """The assembly languages; equal to `Assembly.dialect`."""

    SASS = "sass"
    PTX = "ptx"
    AMDGCN = "amdgcn"


def classify(dialect: str, instruction: Instruction) -> MemoryInstruction | None:
    """Memory space, direction and bits a lane; None for an instruction that touches no data memory.

    Kernel parameters and constants (LDC, ld.param) are no access and give None; AMD's s_load, which also
    fetches them, is `Space.SCALAR`.
    """
    match dialect:
        case Dialect.SASS:
            return sass.classify(instruction)
        case Dialect.PTX:
            return ptx.classify(instruction)
        case Dialect.AMDGCN:
            return amdgcn.classify(instruction)
        case _:
            return None


def kind_of(dialect: str, instruction: Instruction) -> InstructionKind:
    """The kind an instruction is counted under; OPAQUE where the tables do not know it."""
    match dialect:
        case Dialect.SASS:
            return sass.kind_of(instruction)
        case Dialect.PTX:
            return ptx.kind_of(instruction)
        case Dialect.AMDGCN:
            return amdgcn.kind_of(instruction)
        case _:
            return InstructionKind.OPAQUE


def counted_name(dialect: str, instruction: Instruction) -> str:
    """The name an instruction is counted by: memory and matrix ones with their width or shape, others bare."""
    match dialect:
        case Dialect.SASS:
            return sass.counted_name(instruction)
        case Dialect.PTX:
            return ptx.counted_name(instruction)
        case Dialect.AMDGCN:
            return amdgcn.counted_name(instruction)
        case _:
            return instruction.opcode


def is_executed(instruction: Instruction) -> bool:
    """Whether an instruction can do anything: a guard that is never true makes a dummy (`@!PT LDS RZ, [RZ]`)."""
    return instruction.predicate not in ("@!PT", "@!UPT")
