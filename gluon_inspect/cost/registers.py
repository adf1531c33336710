"""Registers a thread of a kernel that was not compiled, from what its accesses hold and how many they are."""

from __future__ import annotations

_ALWAYS = 8
"""Program ids, bases and bounds."""
_PER_INSTRUCTION = 0.25
"""An address and a predicate for each load and store, most of them dead by the time that all data is loaded."""


def estimated_registers(data_words: int, instructions: int) -> int:
    """Registers a thread that hold `data_words` 32-bit words at once, moved by `instructions` loads and stores.

    The compiler issues every load of a tile before the first store, so all of a tile's data lives at once. The
    two constants are fitted to what ptxas gave 234 copy kernels without spills (benchmarks/device and the shared
    sweep; Triton 3.6, sm_90); no time was used. Four fifths are within 12 registers.
    """
    return round(data_words + _ALWAYS + _PER_INSTRUCTION * instructions)
