"""Many cubins in one, for a disassembler that takes a third of a second to start and a hundredth a kernel.

Only code and its lines go along: `.text`, `.debug_line` and `.nv_debug_line_sass`, whose contributions stand one
after the other as a linker leaves them. A cubin with more than one function, or whose code is relocated, is not
joined.
"""

import re
import struct
from collections.abc import Iterator, Mapping, Sequence

from gluon_inspect.assembly.elf import (
    DAMAGE,
    Section,
    architecture_of,
    kernel_symbol,
    part,
    section_symbol,
    sections,
    write,
)

_TEXT = ".text."
_ABOUT = (".note.nv.cuinfo", ".nv.compat")
"""Which architecture exactly (sm_90a), from CUDA 13 on."""
_LINES = (".debug_line", ".nv_debug_line_sass")
_RELOCATION = struct.Struct("<QQq")
_SHT_PROGBITS, _SHT_SYMTAB, _SHT_STRTAB, _SHT_RELA = 1, 2, 3, 4
_STRINGS, _SYMBOLS, _FIRST = 2, 3, 4
"""Sections before the code: names, strings, symbols."""
_OWN_INFO = 0xFF000000
"""Of a code section's `info`, what is no symbol: registers, before CUDA 13."""
_HEADING = re.compile(r"(?m)^(//-+ )\.text\.gi(\d+) .*\n")
_HEADING_COLUMN = 50
_LABEL = re.compile(r"\.L_x_(\d+)\b")
_ENCODING = re.compile(r"(?m)^(.*?) *(/\* 0x[0-9a-f]{16} \*/ *)$")


def joins(cubin: bytes) -> tuple[str, object] | None:
    """A cubin's only function, and what cubins must have in common to be joined; None where it cannot be."""
    try:
        found = sections(cubin)
        code = [each for each in found if each.name.startswith(_TEXT)]
        moved = any(each.name.startswith((".rela.text", ".rel.text")) and each.size for each in found)
        names = {each.name for each in found}
        if len(code) != 1 or moved or any(f".rel{name}" in names for name in _LINES):
            return None
        about = [_body(cubin, each) for each in found if each.name in _ABOUT]
        return code[0].name.removeprefix(_TEXT), (architecture_of(cubin), cubin[:9], *about)
    except DAMAGE:
        return None


def joined(cubins: Sequence[bytes]) -> bytes:
    """One cubin with the code of all: the kernel at `i` is named `gi<i>`. Raises one of elf.DAMAGE."""
    count = len(cubins)
    strings, locals_, kernels = bytearray(b"\0"), bytearray(section_symbol(0, 0)), bytearray()
    code: list[tuple[Section, bytes]] = []
    lines = {name: bytearray() for name in _LINES}
    moves = {name: bytearray() for name in _LINES}
    for index, cubin in enumerate(cubins):
        found = {_TEXT if each.name.startswith(_TEXT) else each.name: each for each in sections(cubin)}
        own, place, symbol = found[_TEXT], _FIRST + index, 1 + count + index
        locals_ += section_symbol(len(strings), place)
        kernels += kernel_symbol(len(strings) + len(_TEXT), place, own.size)
        strings += f"{_TEXT}gi{index}\0".encode()
        info = own.info & _OWN_INFO | symbol
        made = _made(f"{_TEXT}gi{index}", own.kind, own.flags, _SYMBOLS, info, own.alignment)
        code.append((made, _body(cubin, own)))
        for name in _LINES:
            moves[name] += _relocations(cubin, found, name, len(lines[name]), symbol)
            lines[name] += _body(cubin, found[name]) if name in found else b""
    about = [(each, _body(cubins[0], each)) for each in sections(cubins[0]) if each.name in _ABOUT]
    return write(
        cubins[0],
        [
            (_made(".shstrtab", _SHT_STRTAB), b""),
            (_made(".strtab", _SHT_STRTAB), bytes(strings)),
            (_made(".symtab", _SHT_SYMTAB, 0, _STRINGS, 1 + count, 8, 24), bytes(locals_ + kernels)),
            *code,
            *((_made(name, _SHT_PROGBITS), bytes(lines[name])) for name in _LINES),
            *((_moves(name, _FIRST + count + at), bytes(moves[name])) for at, name in enumerate(_LINES)),
            *about,
        ],
    )


def _made(
    name: str, kind: int, flags: int = 0, link: int = 0, info: int = 0, alignment: int = 1, entry_bytes: int = 0
) -> Section:
    return Section(name, 0, 0, link, kind, flags, info, alignment, entry_bytes)


def _moves(name: str, of: int) -> Section:
    return _made(f".rela{name}", _SHT_RELA, 0, _SYMBOLS, of, 8, _RELOCATION.size)


def _body(cubin: bytes, section: Section) -> bytes:
    return part(cubin, section.offset, section.size)


def _relocations(cubin: bytes, found: Mapping[str, Section], name: str, moved: int, symbol: int) -> bytes:
    """A line table's relocations, the table now `moved` bytes on and its kernel another symbol."""
    section = found.get(f".rela{name}")
    entries = _RELOCATION.iter_unpack(_body(cubin, section)) if section else ()
    return b"".join(
        _RELOCATION.pack(offset + moved, symbol << 32 | info & 0xFFFFFFFF, addend)
        for offset, info, addend in entries
    )


def parts(listing: str, names: Sequence[str]) -> list[str]:
    """nvdisasm's listing of a joined cubin by kernel, each as if it stood alone; fewer where some lack."""
    head, *rest = _HEADING.split(listing)
    found = {int(at): head + _alone(int(at), names[int(at)], rule, text) for rule, at, text in _triples(rest)}
    return [found[at] for at in range(len(names)) if at in found]


def _triples(values: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    return zip(values[::3], values[1::3], values[2::3], strict=True)


def _alone(index: int, name: str, rule: str, text: str) -> str:
    """Its own name, labels counted from 0, and encodings in the column that its own longest line asks for."""
    numbers = sorted({int(number) for number in _LABEL.findall(text)})
    labels = {str(number): f".L_x_{place}" for place, number in enumerate(numbers)}
    text = re.sub(rf"\bgi{index}\b", lambda _: name, _LABEL.sub(lambda match: labels[match[1]], text))
    column = 2 + max((len(match[1]) for match in _ENCODING.finditer(text)), default=0)
    aligned = _ENCODING.sub(lambda match: f"{match[1]:{column}}{match[2]}", text)
    return f"{rule}{_TEXT}{name}".ljust(_HEADING_COLUMN) + "--------------------------\n" + aligned
