"""Registers and stack of a cubin's functions, from its ELF tables: no tool, no GPU.

NVIDIA's part is not documented; `.nv.info` is a list of attributes (format, code, size, payload) whose meaning was
checked against `cuobjdump -elf` and `-res-usage`.
"""

import struct
from collections.abc import Iterator

from gluon_inspect.assembly.elf import DAMAGE, Section, architecture_of, backend_of, sections, symbols
from gluon_inspect.errors import ParseError, Position
from gluon_inspect.model.asm import Binary, BinaryFunction

_ATTRIBUTE = struct.Struct("<BBH")
_PAIR = struct.Struct("<II")
_STT_FUNCTION = 2
_STO_ENTRY = 0x10
"""In a symbol's st_other: nvdisasm prints it as STO_CUDA_ENTRY."""
_SIZED = 4
"""Attribute format: the 16-bit field is the payload's size; in the others it is the value itself."""
_FRAME_SIZE = 0x11
_MIN_STACK_SIZE = 0x12
_REGISTER_COUNT = 0x2F


def looks_like_cubin(data: bytes) -> bool:
    """Whether bytes begin as a CUDA ELF does."""
    return backend_of(data) == "cuda"


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
    except DAMAGE as error:
        raise ParseError(
            f"damaged cubin: {error}", position=Position(name), hint="is the file complete?"
        ) from error


def _read(data: bytes) -> Binary:
    found = sections(data)
    info = next((section for section in found if section.name == ".nv.info"), None)
    attributes = dict(_attributes(data, info)) if info else {}
    functions = tuple(
        BinaryFunction(
            name=each.name,
            code_bytes=each.size,
            registers=attributes.get((_REGISTER_COUNT, each.index)),
            stack_bytes=attributes.get((_MIN_STACK_SIZE, each.index), attributes.get((_FRAME_SIZE, each.index))),
            is_entry=bool(each.other & _STO_ENTRY),
        )
        for each in symbols(data, found)
        if each.kind == _STT_FUNCTION and each.size
    )
    return Binary(f"sm_{architecture_of(data)}", functions)


def _attributes(data: bytes, info: Section) -> Iterator[tuple[tuple[int, int], int]]:
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
