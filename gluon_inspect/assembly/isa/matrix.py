"""How long matrix instructions keep their unit busy: operations of the shape over the unit's rate.

Rates are dense operations (a multiply-add is two) a cycle of one SIMD (AMD) or of one SM sub-partition's
share (NVIDIA): the peak of the data sheets over units and clock. For CDNA they give the "passes" of the ISA
documents (v_mfma_f32_32x32x8_f16 on gfx942: 8 passes of 4 cycles = 32).
"""

from __future__ import annotations

import re
from functools import lru_cache

from gluon_inspect.model.asm import Instruction

_AMD = re.compile(
    r"v_(?P<family>mfma|smfmac|wmma|swmmac)(?:_scale(?:16)?)?_[a-z]+\d+_(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)"
    r"(?:_(?P<blocks>\d+)b)?_?(?P<type>[a-z][a-z0-9_]*)"
)
_WARP_SHAPE = re.compile(r"(8|16)(8)(\d+)")
_GROUP_SHAPE = re.compile(r"(64)x(\d+)x(\d+)")

_SIMD_RATES: dict[str, dict[str, int]] = {
    "hip:gfx90a": {"f16": 256, "bf16": 256, "i8": 256, "f32": 64, "f64": 64},
    "hip:gfx942": {
        "f16": 512, "bf16": 512, "i8": 1024, "fp8": 1024, "bf8": 1024, "xf32": 256, "f32": 64, "f64": 64,
    },
    "hip:gfx950": {
        "f16": 1024, "bf16": 1024, "i8": 2048, "fp8": 2048, "bf8": 2048, "f8f6f4": 2048, "f32": 64, "f64": 32,
    },
    "hip:gfx1100": {"f16": 256, "bf16": 256, "iu8": 256},
    "hip:gfx1201": {"f16": 512, "bf16": 512, "iu8": 1024, "fp8": 1024, "bf8": 1024},
}  # fmt: skip
"""AMD Instinct MI200, CDNA 3 and CDNA 4 whitepapers (operations a CU, a quarter a SIMD); RDNA 3 and 4 peak
rates (two SIMDs a CU). gfx1250's are not published."""

_LEAST_CYCLES = 8
"""Two passes: what the ISA documents give for the smallest shapes (4x4x4)."""

_SM_RATES: dict[str, int] = {"cuda:75": 1024, "cuda:80": 2048, "cuda:90": 4096}
"""16-bit operations an SM (T4 65 TFLOPS, A100 312, H100 989 at boost clocks); 8-bit twice, TF32 half."""


def matrix_cycles(target: str, instruction: Instruction) -> float | None:
    """Cycles that one instruction occupies the matrix unit of its SIMD (NVIDIA: sub-partition).

    None where the target's rate or the instruction's shape is not known.
    """
    if target.startswith("hip:"):
        return _amd_cycles(target, instruction.opcode)
    return _nvidia_cycles(target, instruction.opcode)


@lru_cache(maxsize=1024)
def _amd_cycles(target: str, opcode: str) -> float | None:
    match = _AMD.match(opcode)
    if match is None:
        return None
    rates = _SIMD_RATES.get(target, {})
    rate = next((rate for name, rate in rates.items() if match["type"].startswith(name)), None)
    if rate is None:
        return None
    operations = 2 * int(match["m"]) * int(match["n"]) * int(match["k"]) * int(match["blocks"] or 1)
    sparse = 2 if match["family"] in ("smfmac", "swmmac") else 1
    least = _LEAST_CYCLES if match["family"] in ("mfma", "smfmac") else 0
    return max(operations / rate / sparse, least)


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
