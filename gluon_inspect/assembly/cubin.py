"""Registers and stack of a cubin's functions, from its ELF tables: no tool, no GPU.

The container is ELF64 little-endian. NVIDIA's part is not documented; `.nv.info` is a list of attributes
(format, code, size, payload) whose meaning was checked against `cuobjdump -elf` and `-res-usage`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.model.asm import Binary, BinaryFunction

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_ATTRIBUTE = struct.Struct("<BBH")
_PAIR = struct.Struct("<II")

_MAGIC = b"\x7fELF"
_MACHINE_CUDA = 190
_SHT_NOBITS = 8
"""A section that takes no room in the file."""
_STT_FUNCTION = 2
_STO_ENTRY = 0x10
"""In a symbol's st_other: nvdisasm prints it as STO_CUDA_ENTRY."""
_SIZED = 4
"""Attribute format: the 16-bit field is the payload's size; in the others it is the value itself."""
_FRAME_SIZE = 0x11
_MIN_STACK_SIZE = 0x12
_REGISTER_COUNT = 0x2F


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    offset: int
    size: int
    link: int


def looks_like_cubin(data: bytes) -> bool:
    """Whether bytes begin as a CUDA ELF does."""
    return (
        data[:4] == _MAGIC and len(data) >= _HEADER.size and struct.unpack_from("<H", data, 18)[0] == _MACHINE_CUDA
    )


def parse_cubin(data: bytes, name: str = "<cubin>") -> Binary:
    """The functions of a cubin with registers and stack.

    Raises ParseError for bytes that are no CUDA ELF or are cut short.
    """
    if not looks_like_cubin(data):
        raise ParseError(
            "not a cubin (no CUDA ELF header)",
            position=Position(name),
            hint="a cubin begins with the bytes 7f 45 4c 46 and names machine 190",
        )
    try:
        return _read(data)
    except (struct.error, UnicodeDecodeError, IndexError, ValueError) as error:
        raise ParseError(
            f"damaged cubin: {error}", position=Position(name), hint="is the file complete?"
        ) from error


def _read(data: bytes) -> Binary:
    header = _HEADER.unpack_from(data)
    _slice(data, header[5], header[9] * header[10])
    sections = _sections(data, offset=header[6], count=header[12], names_index=header[13])
    symbols = list(_symbols(data, sections))
    info = next((section for section in sections if section.name == ".nv.info"), None)
    attributes = dict(_attributes(data, info)) if info else {}
    functions = tuple(
        BinaryFunction(
            name=symbol,
            code_bytes=size,
            registers=attributes.get((_REGISTER_COUNT, index)),
            stack_bytes=attributes.get((_MIN_STACK_SIZE, index), attributes.get((_FRAME_SIZE, index))),
            is_entry=bool(other & _STO_ENTRY),
        )
        for index, symbol, kind, other, size in symbols
        if kind == _STT_FUNCTION and size
    )
    return Binary(_architecture(flags=header[7], abi=data[8]), functions)


def _architecture(flags: int, abi: int) -> str:
    """ABI 8 holds the number in bits 8 to 15, older ones in bits 0 to 7."""
    number = (flags >> 8) & 0xFF if abi >= 8 else flags & 0xFF
    return f"sm_{number}"


def _sections(data: bytes, offset: int, count: int, names_index: int) -> list[_Section]:
    raw = [_SECTION.unpack_from(data, offset + index * _SECTION.size) for index in range(count)]
    names = _slice(data, raw[names_index][4], raw[names_index][5])
    for entry in raw:
        if entry[1] != _SHT_NOBITS:
            _slice(data, entry[4], entry[5])
    return [_Section(_string(names, entry[0]), entry[4], entry[5], entry[6]) for entry in raw]


def _symbols(data: bytes, sections: list[_Section]) -> Iterator[tuple[int, str, int, int, int]]:
    """(index, name, type, other, size) of each symbol."""
    table = next((section for section in sections if section.name == ".symtab"), None)
    if table is None:
        return
    names = _slice(data, sections[table.link].offset, sections[table.link].size)
    for index in range(table.size // _SYMBOL.size):
        name, info, other, _, _, size = _SYMBOL.unpack_from(data, table.offset + index * _SYMBOL.size)
        yield index, _string(names, name), info & 0xF, other, size


def _attributes(data: bytes, info: _Section) -> Iterator[tuple[tuple[int, int], int]]:
    """((attribute, symbol), value) of each attribute about a function."""
    at, end = info.offset, info.offset + info.size
    while at + _ATTRIBUTE.size <= end:
        kind, attribute, size = _ATTRIBUTE.unpack_from(data, at)
        at += _ATTRIBUTE.size
        if kind != _SIZED:
            continue
        if size == _PAIR.size:
            symbol, value = _PAIR.unpack_from(data, at)
            yield (attribute, symbol), value
        at += size


def _slice(data: bytes, offset: int, size: int) -> bytes:
    if offset + size > len(data):
        raise ValueError("a table lies beyond the end")
    return data[offset : offset + size]


def _string(names: bytes, offset: int) -> str:
    return names[offset : names.index(b"\0", offset)].decode()
