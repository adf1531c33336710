"""SASS: roots and modifiers.

Sources: CUDA Binary Utilities, "Instruction Set Reference" (what each root does); widths as ptxas writes
them for `ld`/`st` of each size. `LDSM` and `STSM` move one 32-bit register a lane for each 8x8 matrix.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gluon_inspect.assembly.isa.kind import MEMORY_KINDS, InstructionKind
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.asm import Instruction, MemoryInstruction

_REGISTER_BITS = 32

_ROOTS: dict[str, tuple[Space, Direction]] = {
    "LDG": (Space.GLOBAL, Direction.LOAD),
    "LD": (Space.GLOBAL, Direction.LOAD),
    "LDGMC": (Space.GLOBAL, Direction.LOAD),
    "STG": (Space.GLOBAL, Direction.STORE),
    "ST": (Space.GLOBAL, Direction.STORE),
    "ATOMG": (Space.GLOBAL, Direction.ATOMIC),
    "ATOM": (Space.GLOBAL, Direction.ATOMIC),
    "REDG": (Space.GLOBAL, Direction.ATOMIC),
    "RED": (Space.GLOBAL, Direction.ATOMIC),
    "LDGSTS": (Space.GLOBAL, Direction.COPY),
    "LDS": (Space.SHARED, Direction.LOAD),
    "LDSM": (Space.SHARED, Direction.LOAD),
    "STS": (Space.SHARED, Direction.STORE),
    "STSM": (Space.SHARED, Direction.STORE),
    "ATOMS": (Space.SHARED, Direction.ATOMIC),
    "STAS": (Space.CLUSTER, Direction.STORE),
    "REDAS": (Space.CLUSTER, Direction.ATOMIC),
    "LDTM": (Space.TENSOR, Direction.LOAD),
    "STTM": (Space.TENSOR, Direction.STORE),
    "LDL": (Space.GLOBAL, Direction.LOAD),
    "STL": (Space.GLOBAL, Direction.STORE),
    "UTMALDG": (Space.GLOBAL, Direction.COPY),
    "UTMASTG": (Space.GLOBAL, Direction.STORE),
    "UTMAREDG": (Space.GLOBAL, Direction.ATOMIC),
    "UBLKCP": (Space.GLOBAL, Direction.COPY),
    "UBLKRED": (Space.GLOBAL, Direction.ATOMIC),
    "UTCCP": (Space.SHARED, Direction.COPY),
}
_DESTINATION = {"LDGSTS": Space.SHARED, "UTMALDG": Space.SHARED, "UBLKCP": Space.SHARED, "UTCCP": Space.TENSOR}
_BULK = frozenset(("UTMALDG", "UTMASTG", "UTMAREDG", "UBLKCP", "UBLKRED", "UTCCP"))
_STACK = frozenset(("LDL", "STL"))
_MATRIX_MOVES = frozenset(("LDSM", "STSM"))
_TENSOR_MOVES = frozenset(("LDTM", "STTM"))

_WIDTHS = {
    "U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "96": 96, "128": 128, "256": 256,
    "F64": 64, "U64": 64, "S64": 64,
}  # fmt: skip
_TENSOR_REGISTERS = {"16dp128bit": 2, "16dp256bit": 4}
"""Registers a lane for each repetition; one for the other shapes (PTX ISA, tcgen05.ld)."""
_REPEAT = re.compile(r"x(\d+)")

_UNCOUNTED = frozenset(
    ("SYS", "GPU", "CTA", "VC", "STRONG", "WEAK", "CONSTANT", "MMIO", "PRIVATE", "LU", "EF", "EL", "EU", "NA", "U")
) | {"LTC64B", "LTC128B", "LTC256B", "ZFILL"}
"""Scope, ordering and cache hints: they change neither the width nor the addresses."""

_MATRIX = re.compile(r"(?:[HIDBQO]MMA|[HIBQ]GMMA|UTC(?:H|Q|I|O|MXQ|MXO)?MMA)$")
_CONVERSIONS = frozenset(("F2F", "F2FP", "F2I", "F2IP", "I2F", "I2FP", "I2I", "I2IP", "FRND"))
_SHUFFLES = frozenset(("SHFL", "MOVM", "REDUX", "CREDUX", "MATCH", "VOTE", "VOTEU"))
_BARRIERS = frozenset(
    (
        "BAR", "DEPBAR", "LDGDEPBAR", "MEMBAR", "ERRBAR", "CGAERRBAR", "FENCE", "SYNCS", "WARPGROUP", "WARPSYNC",
        "BSYNC", "BSSY", "UCGABAR_ARV", "UCGABAR_WAIT", "UTMACMDFLUSH", "UTMACCTL", "UTCBAR", "ARRIVES",
        "CCTL", "NANOSLEEP", "ACQBULK", "UTCATOMSWS", "UVIRTCOUNT", "BMOV", "YIELD", "WARPGROUPSET",
        "USETMAXREG", "ACQSHMINIT", "PREEXIT", "CCTLL", "UTMAPF", "CCTLT",
    )
)  # fmt: skip
_CONTROL = frozenset(
    ("BRA", "BRX", "JMP", "EXIT", "CALL", "RET", "BREAK", "NOP", "BPT", "KILL", "RTT", "JMXU", "BRXU", "ELECT")
)


def classify(instruction: Instruction) -> MemoryInstruction | None:
    """Space, direction and bits a lane, by root and width modifier."""
    return _classified(instruction.opcode)


def kind_of(instruction: Instruction) -> InstructionKind:
    """The kind by root; every root that is in no table computes."""
    return _kind(instruction.opcode)


def counted_name(instruction: Instruction) -> str:
    """Memory and matrix instructions with width and shape, without scope and cache hints; others by root."""
    return _named(instruction.opcode)


@lru_cache(maxsize=4096)
def _classified(opcode: str) -> MemoryInstruction | None:
    root, *modifiers = opcode.split(".")
    found = _ROOTS.get(root)
    if found is None:
        return None
    space, direction = found
    bits = None if root in _BULK else _bits(root, modifiers)
    return MemoryInstruction(space, direction, bits, _DESTINATION.get(root), root in _STACK)


def _bits(root: str, modifiers: list[str]) -> int:
    if root in _MATRIX_MOVES:
        return _REGISTER_BITS * int(modifiers[-1] if modifiers[-1] in ("2", "4") else 1)
    if root in _TENSOR_MOVES:
        repeats = next((int(match[1]) for word in modifiers if (match := _REPEAT.fullmatch(word))), 1)
        each = next((_TENSOR_REGISTERS[word] for word in modifiers if word in _TENSOR_REGISTERS), 1)
        return _REGISTER_BITS * repeats * each
    return next((_WIDTHS[word] for word in modifiers if word in _WIDTHS), _REGISTER_BITS)


@lru_cache(maxsize=4096)
def _kind(opcode: str) -> InstructionKind:
    root = opcode.partition(".")[0]
    memory = _classified(opcode)
    if memory is not None:
        return InstructionKind.LOCAL if memory.local else MEMORY_KINDS[memory.space]
    if not root:
        return InstructionKind.OPAQUE
    if _MATRIX.match(root):
        return InstructionKind.MATRIX
    for kind, roots in _KINDS:
        if root in roots:
            return kind
    return InstructionKind.ARITHMETIC


_KINDS = (
    (InstructionKind.BARRIER, _BARRIERS),
    (InstructionKind.CONTROL, _CONTROL),
    (InstructionKind.SHUFFLE, _SHUFFLES),
    (InstructionKind.CONVERSION, _CONVERSIONS),
)


@lru_cache(maxsize=4096)
def _named(opcode: str) -> str:
    root, *modifiers = opcode.split(".")
    if _classified(opcode) is None and not _MATRIX.match(root):
        return root
    return ".".join((root, *(word for word in modifiers if word not in _UNCOUNTED)))
