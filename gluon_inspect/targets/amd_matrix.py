"""How long AMD's matrix instructions keep their unit busy, instruction by instruction.

CDNA counts in passes of four cycles, which depend on the shape and not on the type alone: old and multi-block
shapes run at the rate of the generation that brought them. Sources: LLVM's scheduling models (SISchedule.td:
SIDPFullSpeedModel, SIDPGFX942FullSpeedModel, SIDPGFX950FullSpeedModel and llvm-mca's tests of them), the table of
matrix instructions in the CDNA 4 ISA document ("16 or 32" and "32 or 64" cycles for f8f6f4, the more where an
operand is FP8), and AMD's matrix instruction calculator: its 101 rows of CDNA 2 and 3, RDNA 3 and 4 agree.
gfx1250 rests on LLVM's GFX1250SpeedModel alone (llvm-mca's gfx1250-wmma-cycles.s), against which its own
gfx1250-strict has 16 cycles for an f8f6f4 with an FP8 operand (here 8) and 8 for 16x16x64_fp8 (here 4).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_NAME = re.compile(
    r"v_(?P<family>mfma|smfmac|wmma|swmmac)(?:_scale(?:16)?)?_(?P<result>[a-z]+\d+)_(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)"
    r"(?:_(?P<blocks>\d+)b(?=_))?_?(?P<type>[a-z][a-z0-9_]*)"
)
_PASS_CYCLES = 4

_CDNA3 = (
    (r"smfmac.*_16x16x", 4),
    (r"smfmac.*_32x32x", 8),
    (r".*_4x4x", 2),
    (r".*_16x16x(8_xf32|16_|32_)", 4),
    (r".*_16x16x[14]_", 8),
    (r".*_32x32x(4_xf32|8_|16_)", 8),
    (r".*_32x32x[124]_", 16),
)
_PASSES: dict[str, tuple[tuple[str, int], ...]] = {
    "gfx90a": (
        ("mfma_f64_4x4x", 4),
        ("mfma_f64_16x16x", 8),
        (".*_4x4x", 2),
        (".*_16x16x", 8),
        (".*_32x32x", 16),
    ),
    "gfx942": (("mfma_f64_4x4x", 4), ("mfma_f64_16x16x", 8), *_CDNA3),
    "gfx950": (
        ("mfma_f64_4x4x", 4),
        ("mfma_f64_16x16x", 16),
        (r"mfma_f32_16x16x128_f8f6f4\+f8", 8),
        (r"mfma_f32_16x16x128_f8f6f4", 4),
        (r"mfma_f32_32x32x64_f8f6f4\+f8", 16),
        (r"mfma_f32_32x32x64_f8f6f4", 8),
        *_CDNA3,
        (r"mfma_.*_16x16x64_", 4),
        (r"mfma_.*_32x32x32_", 8),
    ),
    "gfx1250": (
        (r"wmma_f32_16x16x128_f8f6f4\+f8", 2),
        (r"wmma_f32_16x16x128_f8f6f4", 1),
        (r"(sw|w)mma.*_iu[48]", 4),
        (r"wmma_f32_16x16x4_f32", 4),
        (r"wmma_.*_16x16x64_(fp8|bf8)", 1),
        (r"(sw|w)mma.*_(fp8|bf8|f16|bf16)", 2),
        (r"wmma_f32_32x16x128_f4", 2),
    ),
}
"""Passes by instruction, the first pattern that fits ("+f8": an operand of 8 bits)."""

_WMMA_RATES: dict[str, dict[str, int]] = {
    "gfx1100": {"f16": 256, "bf16": 256, "iu8": 256, "iu4": 512},
    "gfx1201": {"f16": 512, "bf16": 512, "iu8": 1024, "iu4": 2048, "fp8": 1024, "bf8": 1024},
}
"""Dense operations a cycle of one SIMD: RDNA 3 and 4 peak rates of GPUOpen's "Using matrix cores of RDNA 4"."""
_WMMA_LEAST_CYCLES = {"gfx1201": 8}
"""AMD's matrix instruction calculator: 16x16x16_iu4 takes as long as 16x16x32_iu4."""

_FASTEST: dict[str, dict[str, tuple[str, ...]]] = {
    "gfx90a": {
        "f16": ("16x16x16", "32x32x8"),
        "bf16": ("16x16x16_1k", "32x32x8_1k"),
        "i8": ("16x16x16", "32x32x8"),
        "f32": ("16x16x4", "32x32x2"),
        "f64": ("16x16x4",),
    },
    "gfx942": {
        "f16": ("16x16x16", "32x32x8"),
        "bf16": ("16x16x16", "32x32x8"),
        "i8": ("16x16x32", "32x32x16"),
        "fp8": ("16x16x32", "32x32x16"),
        "bf8": ("16x16x32", "32x32x16"),
        "xf32": ("16x16x8", "32x32x4"),
        "f32": ("16x16x4", "32x32x2"),
        "f64": ("16x16x4",),
    },
    "gfx950": {
        "f16": ("16x16x32", "32x32x16"),
        "bf16": ("16x16x32", "32x32x16"),
        "i8": ("16x16x64", "32x32x32"),
        "fp8": ("16x16x128_f8f6f4", "32x32x64_f8f6f4"),
        "bf8": ("16x16x128_f8f6f4", "32x32x64_f8f6f4"),
        "f32": ("16x16x4", "32x32x2"),
        "f64": ("16x16x4",),
    },
    "gfx1100": {"f16": ("16x16x16",), "bf16": ("16x16x16",), "iu8": ("16x16x16",), "iu4": ("16x16x16",)},
    "gfx1201": {
        "f16": ("16x16x16",),
        "bf16": ("16x16x16",),
        "iu8": ("16x16x16",),
        "iu4": ("16x16x32",),
        "fp8": ("16x16x16",),
        "bf8": ("16x16x16",),
    },
    "gfx1250": {
        "f16": ("16x16x32",),
        "bf16": ("16x16x32",),
        "fp8": ("16x16x128", "16x16x64"),
        "bf8": ("16x16x128", "16x16x64"),
        "iu8": ("16x16x64",),
        "f32": ("16x16x4",),
    },
}
"""The dense shapes that reach a type's peak, of which the first is the smaller."""


@dataclass(frozen=True, slots=True)
class MatrixInstruction:
    """A matrix instruction as its name says it: `rows` x `columns` x `inner`, `blocks` times, of `type`."""

    family: str
    result: str
    rows: int
    columns: int
    inner: int
    blocks: int
    type: str

    @property
    def operations(self) -> int:
        """Two for each multiply-add, zeros of sparse operands included."""
        return 2 * self.rows * self.columns * self.inner * self.blocks

    @property
    def is_sparse(self) -> bool:
        """Half of one operand's elements are zeros that are not stored."""
        return self.family in ("smfmac", "swmmac")

    @property
    def shape(self) -> str:
        """`16x16x32`."""
        return f"{self.rows}x{self.columns}x{self.inner}"

    @property
    def element(self) -> str:
        """The type of the first operand: `fp8` of `fp8_bf8`, `bf16` of `bf16_1k`."""
        return self.type.split("_")[0]


@lru_cache(maxsize=1024)
def parse_name(opcode: str) -> MatrixInstruction | None:
    """The parts of `v_mfma_f32_16x16x32_f16` and its kin; None for another instruction."""
    match = _NAME.match(opcode)
    if match is None:
        return None
    m, n, k = int(match["m"]), int(match["n"]), int(match["k"])
    return MatrixInstruction(
        match["family"], match["result"], m, n, k, int(match["blocks"] or 1), _without_encoding(match["type"])
    )


def _without_encoding(kind: str) -> str:
    return re.sub(r"_(e64|vgprcd|mac|w32|twoaddr|threeaddr)\b.*$", "", kind)


def cycles(architecture: str, opcode: str, has_eight_bit_operand: bool = True) -> float | None:
    """Cycles that an instruction occupies the matrix unit of its SIMD; None where that is not published.

    `architecture` as "gfx950". `has_eight_bit_operand`: for f8f6f4, whose FP4 and FP6 take half as long.
    """
    found = parse_name(opcode)
    if found is None:
        return None
    if architecture in _WMMA_RATES:
        return _by_rate(architecture, found)
    suffix = "+f8" if found.type == "f8f6f4" and has_eight_bit_operand else ""
    name = f"{found.family}_{found.result}_{found.shape}_{found.type}{suffix}"
    passes = (count for pattern, count in _PASSES.get(architecture, ()) if re.match(pattern, name))
    count = next(passes, None)
    return None if count is None else count * _PASS_CYCLES


def _by_rate(architecture: str, found: MatrixInstruction) -> float | None:
    rate = _WMMA_RATES[architecture].get(found.element)
    if rate is None:
        return None
    busy = found.operations / rate / (2 if found.is_sparse else 1)
    return max(busy, _WMMA_LEAST_CYCLES.get(architecture, 0))


def fastest_shapes(architecture: str) -> Mapping[str, tuple[str, ...]]:
    """By element type the dense shapes that reach its peak, the smaller first; empty where not published."""
    return _FASTEST.get(architecture, {})


def least_depth(architecture: str, element: str) -> int:
    """K of the smallest dense shape with 16 rows and columns, for advice alone.

    Unverified: meant to be what Triton's MfmaGroup.cpp and WmmaGroup.cpp choose from, which were not looked up.
    """
    family = "gfx9" if architecture.startswith("gfx9") else architecture
    return _LEAST_DEPTH.get(family, {}).get(element, _USUAL_DEPTH)


_USUAL_DEPTH = 16
_LEAST_DEPTH: dict[str, dict[str, int]] = {
    "gfx9": {"fp8": 32, "bf8": 32, "i8": 32, "xf32": 8, "f32": 4, "f64": 4},
    "gfx1250": {"f16": 32, "bf16": 32, "fp8": 64, "bf8": 64, "iu8": 64, "f32": 4},
}


def peak_operations_per_cycle(architecture: str, element: str) -> float | None:
    """Dense operations a cycle of one SIMD with the fastest shape of a type; None where not published."""
    shapes = fastest_shapes(architecture).get(element)
    if not shapes:
        return None
    found = parse_name(_opcode(architecture, shapes[0], element))
    busy = None if found is None else cycles(architecture, _opcode(architecture, shapes[0], element))
    return None if found is None or not busy else found.operations / busy


def _opcode(architecture: str, shape: str, element: str) -> str:
    """An instruction of that shape: `v_mfma_f32_16x16x32_f16`."""
    size, _, rest = shape.partition("_")
    family = "mfma" if architecture.startswith("gfx9") else "wmma"
    result = {"i8": "i32", "iu8": "i32", "iu4": "i32", "f64": "f64"}.get(element, "f32")
    kind = rest if rest == "f8f6f4" else f"{element}_{element}" if element in ("fp8", "bf8") else element
    return f"v_{family}_{result}_{size}_{kind}"
