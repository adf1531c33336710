"""Assembly as data: SASS, PTX and AMDGCN share one instruction record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
