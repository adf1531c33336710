"""Registers a thread, from the binary itself: scripts size their grids by it."""

from __future__ import annotations

import struct

_ELF = b"\x7fELF"
_CUDA_MACHINE = 190
_SECTION = struct.Struct("<IIQQQQIIQQ")


def registers_of(binary: bytes, name: str) -> int | None:
    """Registers a thread of a kernel in a cubin, None for anything else.

    The section `.text.<kernel>` holds them in the upper byte of its info field (as `cuobjdump -elf` shows).
    """
    if binary[:4] != _ELF or len(binary) < 64 or struct.unpack_from("<H", binary, 18)[0] != _CUDA_MACHINE:
        return None
    offset = struct.unpack_from("<Q", binary, 40)[0]
    size, count, names = struct.unpack_from("<HHH", binary, 58)
    if size != _SECTION.size or offset + size * count > len(binary) or names >= count:
        return None
    sections = [_SECTION.unpack_from(binary, offset + index * size) for index in range(count)]
    strings = sections[names][4]
    for section in sections:
        start = strings + section[0]
        if binary[start : binary.find(b"\0", start)] == f".text.{name}".encode():
            return section[7] >> 24
    return None
