"""The kinds that instructions are counted under, the same for every instruction set."""

from __future__ import annotations

from enum import StrEnum


class InstructionKind(StrEnum):
    """What an instruction is for."""

    GLOBAL = "global memory"
    SHARED = "shared memory"
    TENSOR = "tensor memory"
    LOCAL = "stack (spills)"
    SCALAR = "scalar memory"
    MATRIX = "matrix"
    SHUFFLE = "shuffle"
    CONVERSION = "number conversion"
    BARRIER = "barrier and wait"
    CONTROL = "control flow"
    ARITHMETIC = "arithmetic"
    OPAQUE = "not understood"


MEMORY_KINDS = {
    "global": InstructionKind.GLOBAL,
    "shared": InstructionKind.SHARED,
    "cluster": InstructionKind.SHARED,
    "tensor": InstructionKind.TENSOR,
    "scalar": InstructionKind.SCALAR,
}
"""By `model.access.Space`."""
