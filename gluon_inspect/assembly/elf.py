"""The container of cubins and hsacos, little-endian ELF64: sections, symbols, notes, and which GPU it is for.

Written here since these tables are all that is needed; pyelftools (1.8 MB, 30 ms to import) has more.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_MAGIC = b"\x7fELF"
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_NOTE = struct.Struct("<III")
_SHT_NOBITS = 8
"""A section that takes no room in the file."""
_PT_NOTE = 4
_GLOBAL_FUNCTION, _LOCAL_SECTION = 0x12, 0x03
"""A symbol's binding and type."""
_STO_ENTRY = 0x10
"""In a symbol's st_other: nvdisasm prints it as STO_CUDA_ENTRY."""
_MACHINES = {190: "cuda", 224: "hip"}
"""e_machine: EM_CUDA, EM_AMDGPU (LLVM's ELF.h)."""
_SECOND_BYTE_ABI = 8
"""e_ident's ABI version from which (CUDA 13) a cubin's flags hold its architecture in their second byte, not the
first (read off ptxas)."""
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
DAMAGE = (
    struct.error,
    OverflowError,
    IndexError,
    ValueError,
    UnicodeDecodeError,
    KeyError,
    TypeError,
    AttributeError,
)
"""What reading a file that is cut short or not what it says ends in."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section's name, where it lies, and the section it is linked to; then as its header has it."""

    name: str
    offset: int
    size: int
    link: int
    kind: int = 1
    flags: int = 0
    info: int = 0
    alignment: int = 1
    entry_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol: its place in the table, name, type (STT_…), st_other and bytes."""

    index: int
    name: str
    kind: int
    other: int
    size: int


@dataclass(frozen=True, slots=True)
class Note:
    """A note: who wrote it (with its closing zero), its type and content."""

    owner: bytes
    kind: int
    content: bytes


def backend_of(binary: bytes) -> str:
    """ "cuda" for a cubin, "hip" for an hsaco, empty for anything else."""
    if binary[:4] != _MAGIC or len(binary) < _HEADER.size:
        return ""
    return _MACHINES.get(_HEADER.unpack_from(binary)[2], "")


def architecture_of(binary: bytes) -> int:
    """The number of a cubin's architecture: 90 for sm_90."""
    flags = _HEADER.unpack_from(binary)[7]
    return (flags >> 8 if binary[8] >= _SECOND_BYTE_ABI else flags) & 0xFF


def target_of(binary: bytes) -> str:
    """The target's name ("cuda:90", "hip:gfx942"); empty where the file does not say."""
    match backend_of(binary):
        case "cuda":
            return f"cuda:{architecture_of(binary)}"
        case "hip":
            name = _AMD_TARGETS.get(_HEADER.unpack_from(binary)[7] & 0xFF)
            return f"hip:{name}" if name else ""
        case _:
            return ""


def sections(binary: bytes) -> tuple[Section, ...]:
    """All sections, in order. Raises one of DAMAGE where a table or a section lies beyond the end."""
    header = _HEADER.unpack_from(binary)
    part(binary, header[5], header[9] * header[10])
    raw: list[tuple[int, ...]] = [
        _SECTION.unpack_from(binary, header[6] + index * _SECTION.size) for index in range(header[12])
    ]
    names_index: int = header[13]
    names = part(binary, raw[names_index][4], raw[names_index][5])
    for entry in raw:
        if entry[1] != _SHT_NOBITS:
            part(binary, entry[4], entry[5])
    return tuple(
        Section(_string(names, name), offset, size, link, kind, flags, info, alignment, entry_bytes)
        for name, kind, flags, _, offset, size, link, info, alignment, entry_bytes in raw
    )


def write(like: bytes, content: Sequence[tuple[Section, bytes]]) -> bytes:
    """A file with another's header and these sections after the null one; the first is that of their names.

    Offsets and sizes of the sections given do not matter. There are no segments.
    """
    names, rows = bytearray(b"\0"), bytearray(_SECTION.size)
    places = [_placed(names, section.name) for section, _ in content]
    file = bytearray(_HEADER.size)
    for (section, body), name in zip(content, places, strict=True):
        whole = bytes(names) if not rows.strip(b"\0") else body
        file += bytes(-len(file) % max(1, section.alignment))
        fields = (len(file), len(whole), section.link, section.info, section.alignment, section.entry_bytes)
        rows += _SECTION.pack(name, section.kind, section.flags, 0, *fields)
        file += whole
    file += bytes(-len(file) % 8)
    header = list(_HEADER.unpack_from(like))
    header[5:7], header[10], header[12:14] = [0, len(file)], 0, [len(content) + 1, 1]
    file[: _HEADER.size] = _HEADER.pack(*header)
    return bytes(file + rows)


def kernel_symbol(name: int, section: int, size: int) -> bytes:
    """A kernel's entry in .symtab: where its name stands in .strtab, and the section of its code."""
    return _SYMBOL.pack(name, _GLOBAL_FUNCTION, _STO_ENTRY, section, 0, size)


def section_symbol(name: int, section: int) -> bytes:
    """A section's entry in .symtab; the null entry at section 0."""
    return _SYMBOL.pack(name, _LOCAL_SECTION if section else 0, 0, section, 0, 0)


def _placed(names: bytearray, name: str) -> int:
    place = len(names)
    names += name.encode() + b"\0"
    return place


def symbols(binary: bytes, found: tuple[Section, ...]) -> Iterator[Symbol]:
    """The symbols of .symtab; none without it. Raises one of DAMAGE."""
    table = next((section for section in found if section.name == ".symtab"), None)
    if table is None:
        return
    names = part(binary, found[table.link].offset, found[table.link].size)
    for index in range(table.size // _SYMBOL.size):
        name, info, other, _, _, size = _SYMBOL.unpack_from(binary, table.offset + index * _SYMBOL.size)
        yield Symbol(index, _string(names, name), info & 0xF, other, size)


def notes(binary: bytes) -> Iterator[Note]:
    """The notes of all note segments. Raises one of DAMAGE where one lies beyond its segment."""
    header = _HEADER.unpack_from(binary)
    for index in range(header[10]):
        kind, _, offset, _, _, size, _, _ = _SEGMENT.unpack_from(binary, header[5] + index * header[9])
        if kind == _PT_NOTE:
            yield from _notes(part(binary, offset, size))


def _notes(segment: bytes) -> Iterator[Note]:
    at = 0
    while at + _NOTE.size <= len(segment):
        owner_bytes, size, kind = _NOTE.unpack_from(segment, at)
        start = at + _NOTE.size
        content = start + _padded(owner_bytes)
        yield Note(segment[start : start + owner_bytes], kind, part(segment, content, size))
        at = content + _padded(size)


def part(binary: bytes, offset: int, size: int) -> bytes:
    """A part of the file; ValueError where it is not all there."""
    if offset + size > len(binary):
        raise ValueError("a table lies beyond the end")
    return binary[offset : offset + size]


def _padded(size: int) -> int:
    return -(-size // 4) * 4


def _string(names: bytes, offset: int) -> str:
    return names[offset : names.index(b"\0", offset)].decode()
