"""Which GPU a binary was built for, from its ELF header."""

from __future__ import annotations

MAGIC = b"\x7fELF"
_HEADER_BYTES = 64
_CLASS_64 = 2
_MACHINES = {190: "cuda", 224: "hip"}
"""e_machine: EM_CUDA, EM_AMDGPU (LLVM's ELF.h)."""
_SMALLEST_SM = 20
"""Below it, the flags' low byte is no architecture: CUDA 13 moved that to the second byte (read off ptxas)."""
_AMD_TARGETS = {
    0x2F: "gfx906",
    0x30: "gfx908",
    0x36: "gfx1030",
    0x3F: "gfx90a",
    0x41: "gfx1100",
    0x44: "gfx1103",
    0x46: "gfx1101",
    0x47: "gfx1102",
    0x48: "gfx1200",
    0x49: "gfx1250",
    0x4A: "gfx1151",
    0x4C: "gfx942",
    0x4E: "gfx1201",
    0x4F: "gfx950",
}
"""EF_AMDGPU_MACH, the flags' low byte (LLVM AMDGPU backend documentation, "ELF header e_flags")."""


def backend_of(binary: bytes) -> str:
    """ "cuda" for a cubin, "hip" for an hsaco, empty for anything else."""
    if binary[:4] != MAGIC or len(binary) < _HEADER_BYTES or binary[4] != _CLASS_64:
        return ""
    return _MACHINES.get(int.from_bytes(binary[18:20], "little"), "")


def target_of(binary: bytes) -> str:
    """The target's name ("cuda:90", "hip:gfx942"); empty where the file does not say."""
    match backend_of(binary):
        case "cuda":
            flags = int.from_bytes(binary[48:52], "little")
            low, second = flags & 0xFF, flags >> 8 & 0xFF
            return f"cuda:{low if low >= _SMALLEST_SM else second}"
        case "hip":
            name = _AMD_TARGETS.get(binary[48])
            return f"hip:{name}" if name else ""
        case _:
            return ""
