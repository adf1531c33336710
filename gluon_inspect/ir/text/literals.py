"""Numbers as MLIR writes them: decimal, hexadecimal bit patterns of floats, raw dense bytes."""

from __future__ import annotations

import math
import struct

from gluon_inspect.model.types import ScalarType, Type

Number = int | float | bool

_STRUCT_OF = {"f16": ("H", "e"), "f32": ("I", "f"), "f64": ("Q", "d")}
_SMALL_FLOATS = {"f8E4M3FN": (4, 3, 7), "f8E4M3FNUZ": (4, 3, 8), "f8E5M2": (5, 2, 15), "f8E5M2FNUZ": (5, 2, 16)}
"""Exponent bits, mantissa bits, bias (OCP 8-bit floating point specification; FNUZ as in LLVM's APFloat)."""


def number(text: str, of: Type | None = None) -> Number:
    """The value of a literal; a hexadecimal one of a float type is that float's bits."""
    is_float = isinstance(of, ScalarType) and of.is_float
    digits = text.lstrip("-")
    if digits[:2] in ("0x", "0X"):
        value = int(digits, 16)
        return float_of_bits(value, of) if is_float and isinstance(of, ScalarType) else _signed(text, value)
    if is_float or "." in text:
        return float(text)
    if isinstance(of, ScalarType) and of.name == "i1":
        return text != "0"
    return int(text)


def _signed(text: str, value: int) -> int:
    return -value if text[0] == "-" else value


def float_of_bits(bits: int, of: ScalarType) -> float:
    """The float with these bits; NaN where the format is not known."""
    if of.name == "bf16":
        return float(struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF) << 16))[0])
    if of.name in _STRUCT_OF:
        integer, floating = _STRUCT_OF[of.name]
        mask = (1 << of.bits) - 1
        return float(struct.unpack(f"<{floating}", struct.pack(f"<{integer}", bits & mask))[0])
    if of.name in _SMALL_FLOATS:
        return _small_float(bits & 0xFF, *_SMALL_FLOATS[of.name], unsigned_zero="FNUZ" in of.name)
    return math.nan


def _small_float(bits: int, exponent_bits: int, mantissa_bits: int, bias: int, *, unsigned_zero: bool) -> float:
    sign = -1.0 if bits >> 7 else 1.0
    exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = bits & (1 << mantissa_bits) - 1
    if unsigned_zero and bits == 0x80:
        return math.nan
    if not unsigned_zero and exponent == (1 << exponent_bits) - 1:
        if exponent_bits == 5:
            return math.nan if mantissa else sign * math.inf
        if mantissa == 7:
            return math.nan
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits)


def raw_elements(text: str, of: ScalarType) -> tuple[Number, ...] | None:
    """The elements of dense<"0x…">: little-endian, i1 a byte each or all in one; None where it cannot be read."""
    data = _bytes(text)
    if data is None or of.bits not in (1, 8, 16, 32, 64):
        return None
    size = max(1, of.bits // 8)
    if len(data) % size:
        return None
    words = (int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size))
    if of.bits == 1:
        return tuple(bool(word) for word in words)
    if of.is_float:
        return tuple(float_of_bits(word, of) for word in words)
    half = 1 << (of.bits - 1)
    return tuple(word - 2 * half if word >= half and not of.name.startswith("u") else word for word in words)


def _bytes(text: str) -> bytes | None:
    digits = text.strip('"')
    if digits[:2] != "0x" or len(digits) % 2 or any(c not in "0123456789abcdefABCDEF" for c in digits[2:]):
        return None
    return bytes.fromhex(digits[2:])


def symbol_name(text: str) -> str:
    """What `@name` or `@"any name"` names."""
    return unquoted(text[1:]) if text[1:2] == '"' else text[1:]


def unquoted(text: str) -> str:
    r"""The contents of a quoted string; MLIR escapes are \n, \t, \\, \" and two hexadecimal digits."""
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    out: list[str] = []
    at = 0
    while at < len(inner):
        step, piece = _escaped(inner, at)
        out.append(piece)
        at += step
    return "".join(out)


def _escaped(text: str, at: int) -> tuple[int, str]:
    if text[at] != "\\":
        return 1, text[at]
    following = text[at + 1 : at + 3]
    if following[:1] in ("n", "t", "\\", '"'):
        return 2, {"n": "\n", "t": "\t"}.get(following[0], following[0])
    if len(following) == 2 and all(c in "0123456789abcdefABCDEF" for c in following):
        return 3, chr(int(following, 16))
    return 1, "\\"
