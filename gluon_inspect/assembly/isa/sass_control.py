"""Scheduling control of SASS from Volta on: what the encoding says beside the operation.

Bits 105 to 125 of the 128: stall cycles (4), yield (1, clear: the scheduler may switch warps), the barrier
that a write sets (3), that a read sets (3), the barriers to wait for (6), reuse (4). Source: Jia et al.,
"Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

_FIRST_BIT = 105 - 64
_NO_BARRIER = 7


def control_text(high: int) -> str:
    """`wait:read:write:yield:stall` of an instruction's upper 64 bits, as Triton's disassembler writes it.

    The wait mask in two decimal digits, a barrier's number, Y or -, stall cycles in one hexadecimal digit; - for
    none.
    """
    bits = high >> _FIRST_BIT
    stall, held, write, read, wait = bits & 15, bits >> 4 & 1, bits >> 5 & 7, bits >> 8 & 7, bits >> 11 & 63
    mask = f"{wait:02d}" if wait else "--"
    return f"{mask}:{_barrier(read)}:{_barrier(write)}:{'-' if held else 'Y'}:{stall:x}"


@dataclass(frozen=True, slots=True)
class Control:
    """`waits`: the barriers to wait for, one bit each; `reads`, `writes`: the barrier set, -1 for none."""

    waits: int = 0
    reads: int = -1
    writes: int = -1
    stall: int = 1


@lru_cache(maxsize=8192)
def read_control(text: str) -> Control:
    """An annotation as written; an instruction without one issues after one cycle and waits for nothing."""
    if text.count(":") != 4:
        return Control()
    waits, reads, writes, _, stall = text.split(":")
    return Control(
        0 if waits == "--" else int(waits),
        -1 if reads == "-" else int(reads),
        -1 if writes == "-" else int(writes),
        1 if stall == "-" else int(stall, 16),
    )


def _barrier(number: int) -> str:
    return "-" if number == _NO_BARRIER else str(number)
