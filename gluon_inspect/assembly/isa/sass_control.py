"""Scheduling control of SASS from Volta on: what the encoding says beside the operation.

Bits 105 to 125 of the 128: stall cycles (4), yield (1, clear: the scheduler may switch warps), the barrier
that a write sets (3), that a read sets (3), the barriers to wait for (6), reuse (4). Source: Jia et al.,
"Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 2.1.
"""

from __future__ import annotations

_FIRST_BIT = 105 - 64
_NO_BARRIER = 7


def control_text(high: int) -> str:
    """`wait:read:write:yield:stall` of an instruction's upper 64 bits, as maxas writes it.

    The wait mask in two hexadecimal digits, a barrier's number, Y or -, stall cycles in one digit; - for none.
    """
    bits = high >> _FIRST_BIT
    stall, held, write, read, wait = bits & 15, bits >> 4 & 1, bits >> 5 & 7, bits >> 8 & 7, bits >> 11 & 63
    mask = f"{wait:02x}" if wait else "--"
    return f"{mask}:{_barrier(read)}:{_barrier(write)}:{'-' if held else 'Y'}:{stall:x}"


def _barrier(number: int) -> str:
    return "-" if number == _NO_BARRIER else str(number)
