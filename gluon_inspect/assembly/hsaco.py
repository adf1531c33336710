"""Registers and scratch of an AMD code object's kernels, from its metadata note: no tool, no GPU.

LLVM's "User Guide for AMDGPU Backend", Code Object V3 and later: an ELF64 note of the name AMDGPU holds a
MessagePack map, whose `amdhsa.kernels` lists the kernels.
"""

import struct
from collections.abc import Iterator
from typing import Any, cast

from gluon_inspect.assembly.elf import DAMAGE, backend_of, notes
from gluon_inspect.errors import ParseError, Position
from gluon_inspect.model.asm import AmdRegisters, Binary, BinaryFunction

_NT_METADATA = 32
_OWNER = b"AMDGPU\0"
_DEEPEST = 16


def looks_like_hsaco(data: bytes) -> bool:
    """Whether bytes begin as an AMDGPU ELF does."""
    return backend_of(data) == "hip"


def parse_hsaco(data: bytes, name: str = "<hsaco>") -> Binary:
    """The kernels of a code object; `registers` are VGPRs and AGPRs of a thread together.

    Raises ParseError for bytes that are no AMDGPU ELF, are cut short or have no metadata.
    """
    where = Position(name)
    if not looks_like_hsaco(data):
        raise ParseError("not an hsaco (no AMDGPU ELF header)", position=where)
    try:
        for metadata in _metadata(data):
            kernels: list[dict[str, Any]] = metadata["amdhsa.kernels"]
            return Binary(str(metadata.get("amdhsa.target", "")), tuple(map(_function, kernels)))
    except DAMAGE as error:
        raise ParseError(f"damaged hsaco: {error}", position=where, hint="is the file complete?") from None
    raise ParseError("an hsaco without metadata: its kernels are not known", position=where)


def _function(kernel: dict[str, Any]) -> BinaryFunction:
    registers, scratch = kernel.get(".vgpr_count"), kernel.get(".private_segment_fixed_size")
    return BinaryFunction(
        str(kernel[".name"]),
        0,
        registers if isinstance(registers, int) else None,
        scratch if isinstance(scratch, int) else None,
        is_entry=True,
        amd=_split(kernel),
    )


def _split(kernel: dict[str, Any]) -> AmdRegisters:
    """`.vgpr_count` is that of the whole file, AGPRs included where they share it (LLVM's User Guide)."""
    both, own = _number_of(kernel, ".vgpr_count"), _number_of(kernel, ".agpr_count")
    vector = both - own if both is not None and own is not None else both
    names = (".sgpr_count", ".vgpr_spill_count", ".sgpr_spill_count")
    return AmdRegisters(vector, own, *(_number_of(kernel, name) for name in names))


def _number_of(kernel: dict[str, Any], name: str) -> int | None:
    value = kernel.get(name)
    return value if isinstance(value, int) else None


def _metadata(data: bytes) -> Iterator[dict[str, Any]]:
    for note in notes(data):
        if note.kind == _NT_METADATA and note.owner == _OWNER:
            found, _ = _unpacked(note.content, 0, 0)
            yield cast(dict[str, Any], found)


_FIXED = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS = {0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q", 0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q"}
_SIZES = {0xD9: "B", 0xDA: "H", 0xDB: "I", 0xDC: "H", 0xDD: "I", 0xDE: "H", 0xDF: "I"}


def _unpacked(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    """One MessagePack value and where it ends. The kinds that LLVM does not write are errors."""
    if depth > _DEEPEST:
        raise ValueError("metadata nested too deep")
    code, at = data[at], at + 1
    if code < 0x80:
        return code, at
    if code >= 0xE0:
        return code - 0x100, at
    if code in _FIXED:
        return _FIXED[code], at
    if code in _NUMBERS:
        return _number(data, at, _NUMBERS[code])
    if code < 0xC0:
        size = code & (0x1F if code >= 0xA0 else 0x0F)
        kind = "text" if code >= 0xA0 else "list" if code >= 0x90 else "map"
    elif code in _SIZES:
        size, at = _number(data, at, _SIZES[code])
        kind = "text" if code <= 0xDB else "list" if code <= 0xDD else "map"
    else:
        raise ValueError(f"a value of kind {code:#x}")
    return _sized(data, at, depth, kind, size)


def _number(data: bytes, at: int, form: str) -> tuple[int, int]:
    return struct.unpack_from(f">{form}", data, at)[0], at + struct.calcsize(form)


def _sized(data: bytes, at: int, depth: int, kind: str, size: int) -> tuple[Any, int]:
    if at + size > len(data):
        raise ValueError("a value lies beyond the end")
    if kind == "text":
        return data[at : at + size].decode(), at + size
    values: list[Any] = []
    for _ in range(size if kind == "list" else 2 * size):
        value, at = _unpacked(data, at, depth + 1)
        values.append(value)
    return (values if kind == "list" else dict(zip(values[::2], values[1::2], strict=True))), at
