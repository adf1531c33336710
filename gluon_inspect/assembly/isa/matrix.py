"""How long matrix instructions keep their unit busy.

AMD: by instruction, as `targets.amd_matrix` has it. NVIDIA: operations of the shape over the rate of an SM
sub-partition, the peak of the data sheets over units and clock.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gluon_inspect.model.asm import Instruction
from gluon_inspect.targets import amd_matrix

_WARP_SHAPE = re.compile(r"(8|16)(8)(\d+)")
_GROUP_SHAPE = re.compile(r"(64)x(\d+)x(\d+)")
_FORMAT = re.compile(r"\b(?P<operand>cbsz|blgp|matrix_[ab]_fmt):(?P<format>\w+)")
_OPERANDS = {"mfma": ("cbsz", "blgp"), "wmma": ("matrix_a_fmt", "matrix_b_fmt")}
_EIGHT_BITS = ("0", "1", "MATRIX_FMT_FP8", "MATRIX_FMT_BF8")
"""Formats of 8 bits (CDNA 4 ISA: 0 is FP8 E4M3, 1 is E5M2); the first is meant where none is written."""

_SM_RATES: dict[str, int] = {"cuda:75": 1024, "cuda:80": 2048, "cuda:90": 4096}
"""16-bit operations an SM (T4 65 TFLOPS, A100 312, H100 989 at boost clocks); 8-bit twice, TF32 half."""


def matrix_cycles(target: str, instruction: Instruction) -> float | None:
    """Cycles that one instruction occupies the matrix unit of its SIMD (NVIDIA: sub-partition).

    None where the target's rate or the instruction's shape is not known.
    """
    if target.startswith("hip:"):
        mixed = "f8f6f4" in instruction.opcode
        eight = mixed and has_eight_bit_operand(instruction)
        return amd_matrix.cycles(target.removeprefix("hip:"), instruction.opcode, eight)
    return _nvidia_cycles(target, instruction.opcode)


def has_eight_bit_operand(instruction: Instruction) -> bool:
    """Whether an operand of an f8f6f4 instruction is FP8 or BF8, which takes twice the cycles of FP4 and FP6."""
    given = {match["operand"]: match["format"] for match in _FORMAT.finditer(instruction.text)}
    names = _OPERANDS["mfma" if instruction.opcode.startswith("v_mfma") else "wmma"]
    return any(given.get(name, "0") in _EIGHT_BITS for name in names)


@lru_cache(maxsize=1024)
def _nvidia_cycles(target: str, opcode: str) -> float | None:
    rate, words = _SM_RATES.get(target), opcode.split(".")
    for word in words[1:]:
        if rate and (group := _GROUP_SHAPE.fullmatch(word)):
            return 2 * int(group[1]) * int(group[2]) * int(group[3]) / (rate * _speed(words))
        if rate and (warp := _WARP_SHAPE.fullmatch(word)):
            return 2 * int(warp[1]) * int(warp[2]) * int(warp[3]) / (rate / 4 * _speed(words))
    return None


def _speed(words: list[str]) -> float:
    """Relative to 16-bit operands."""
    if "TF32" in words:
        return 0.5
    return 2.0 if words[0][0] in "QI" else 1.0
