"""Registers a thread from SASS text alone, where there is no cubin to read the count from."""

from __future__ import annotations

import re

from gluon_inspect.assembly.isa import sass
from gluon_inspect.model.asm import Assembly, Function, Instruction

_REGISTER = re.compile(r"(?<![A-Z])R(\d+)(\.64)?")
_MATRIX_SHAPE = re.compile(r"64x(\d+)x\d+")
_PAIRS = frozenset(("DADD", "DMUL", "DFMA", "DSETP", "DMNMX", "FADD2", "FMUL2", "FFMA2"))
_STORES = frozenset(("STG", "STS", "STL", "ST", "STSM", "STTM", "REDG", "RED"))
_MMA_SPANS = (4, 4, 2, 4)
"""Registers of D, A, B and C of a warp-level matrix instruction, at most (m16n8k16, f32 accumulators)."""
RESERVED_REGISTERS = 2
"""ptxas counts this many beyond the highest register used: true of all 220 recorded launches (sm_90) and of
every cubin that the tests compile for sm_75 to sm_120."""
_RESIZES = "USETMAXREG"


def registers_per_thread(assembly: Assembly) -> int | None:
    """The register count of the cubin that a SASS listing comes from.

    None where the text cannot tell: warp-specialised kernels move registers between their partitions while
    they run (USETMAXREG), so that a warp may use more than the launch allots.
    """
    functions = assembly.functions
    if any(each.root == _RESIZES for function in functions for each in function.instructions):
        return None
    return max((highest_register(function) for function in functions), default=0) + RESERVED_REGISTERS


def highest_register(function: Function) -> int:
    """One more than the number of the highest general register that an instruction touches; 0 for none."""
    return max((_end(instruction) for instruction in function.instructions), default=0)


def _end(instruction: Instruction) -> int:
    return max(
        (
            int(number) + max(_span(instruction, position), 2 if pair else 1)
            for position, operand in enumerate(instruction.operands)
            for number, pair in _REGISTER.findall(operand)
        ),
        default=0,
    )


def _span(instruction: Instruction, position: int) -> int:
    """Registers that the operand at a position names beyond what its own suffix says."""
    root, words = instruction.root, instruction.opcode.split(".")[1:]
    memory = sass.classify(instruction)
    if memory is not None or root == "LDC":
        return _memory_span(instruction, position)
    if root in _PAIRS or (root == "CS2R" and "32" not in words) or ("64" in words and root in _WIDE):
        return 2
    if root == "IMAD" and "WIDE" in words:
        return 2 if position in (0, len(instruction.operands) - 1) else 1
    if root.endswith("GMMA"):
        return _warpgroup_span(words, position)
    if root in _WARP_MATRIX and position < len(_MMA_SPANS):
        return _MMA_SPANS[position]
    if root in ("F2F", "I2F", "F2I") and position == 0 and _sixty_four(words):
        return 2
    return 1


_WIDE = frozenset(("IADD", "MOV", "LOP3", "SEL", "SHF", "IADD3"))
_WARP_MATRIX = frozenset(("HMMA", "IMMA", "QMMA", "OMMA", "DMMA", "BMMA"))


def _sixty_four(words: list[str]) -> bool:
    return bool(words) and words[0] in ("F64", "U64", "S64")


def _memory_span(instruction: Instruction, position: int) -> int:
    memory = sass.classify(instruction)
    words = instruction.opcode.split(".")[1:]
    bits = memory.bits if memory is not None else 64 if "64" in words else 32
    data = len(instruction.operands) - 1 if instruction.root in _STORES else 0
    is_address = "[" in instruction.operands[position]
    return (bits or 32) // 32 if position == data and not is_address else 1


def _warpgroup_span(words: list[str], position: int) -> int:
    """D and C hold the tile's share of a thread, A in registers four."""
    shape = next((match for word in words if (match := _MATRIX_SHAPE.fullmatch(word))), None)
    columns = int(shape[1]) if shape else 0
    each = columns // 2 if "F32" in words or "S32" in words else columns // 4
    return 4 if position == 1 else each
