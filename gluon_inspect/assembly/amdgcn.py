"""AMDGCN text to instructions, as LLVM writes it (Triton's asm["amdgcn"]) and as llvm-objdump -d prints it.

Registers, spills and LDS come from LLVM's "Kernel info" comments, the `.amdhsa_` directives and the
`.amdgpu_metadata` block; where several speak, the metadata block, which the loader reads, wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePosixPath

from gluon_inspect.errors import ParseError
from gluon_inspect.model.asm import Assembly, Function, Instruction
from gluon_inspect.model.location import Location
from gluon_inspect.source import SourceText, whole

_MOST_DIGITS = 18
_TARGET = re.compile(r"^\s*\.amdgcn_target\s+\"([^\"]*)\"", re.MULTILINE)
_OBJDUMP = re.compile(r"file format elf64-amdgpu")
_GFX = re.compile(r"gfx[0-9a-f]+")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?', re.MULTILINE)
_TYPE = re.compile(r"\s*\.type\s+([^\s,]+)\s*,\s*@function")
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_CHAIN = re.compile(r"([^\s@\[\]]+):(\d+):(\d+)")
_LABEL = re.compile(r"(?:[0-9a-f]{16} <)?([\w.$]+)>?:\s*$")
_END = re.compile(r"\.Lfunc_end\d+$")
_KERNEL = re.compile(r"\s*\.amdhsa_kernel\s+(\S+)")
_HSA = re.compile(r"\s*\.amdhsa_(\w+)\s+(\d+)\s*$")
_INFO = re.compile(r"; (\w+): (\d+)\b")
_INSTRUCTION = re.compile(r"\s+(?P<opcode>[a-z][a-z0-9]*_[a-z0-9_]+)(?:\s+(?P<operands>.*?))?\s*$")
_OFFSET = re.compile(r"//\s*([0-9A-F]{6,}):")
_METADATA_KEY = re.compile(r"  (?:- |  )\.(\w+):\s*(\S+)\s*$")

_INFO_NAMES = {
    "NumVgprs": "vgprs",
    "NumAgprs": "agprs",
    "TotalNumVgprs": "registers",
    "TotalNumSgprs": "sgprs",
    "ScratchSize": "scratch_bytes",
    "Occupancy": "waves_per_simd",
    "codeLenInByte": "code_bytes",
}
_METADATA_NAMES = {
    "sgpr_count": "sgprs",
    "vgpr_spill_count": "vgpr_spills",
    "sgpr_spill_count": "sgpr_spills",
    "group_segment_fixed_size": "lds_bytes",
    "private_segment_fixed_size": "scratch_bytes",
    "wavefront_size": "wave_size",
    "max_flat_workgroup_size": "max_threads",
    "workgroup_processor_mode": "workgroup_processor_mode",
    "agpr_count": "agprs",
    "vgpr_count": "registers",
}


def looks_like_amdgcn(text: str) -> bool:
    """Whether a text (its first part is enough) is AMDGCN assembly."""
    return bool(_TARGET.search(text) or _OBJDUMP.search(text) or "s_endpgm" in text)


def parse_amdgcn(text: str, name: str = "<amdgcn>") -> Assembly:
    """All functions with instructions, source locations (call-site chains from LLVM's comments) and resources.

    Function metadata, where the text says so: `registers` (VGPRs and AGPRs of a thread together), `vgprs`,
    `agprs`, `sgprs`, `vgpr_spills`, `sgpr_spills`, `scratch_bytes`, `lds_bytes`, `wave_size`,
    `waves_per_simd` (LLVM's estimate), `entry` 1 for kernels. Unknown instructions are kept opaque.
    Raises ParseError when no instruction is found.
    """
    reader = _Reader(_files(text))
    for number, line in enumerate(text.split("\n"), 1):
        reader.read(line, number)
    functions = reader.finish()
    if not any(function.instructions for function in functions):
        raise ParseError(
            "no AMDGCN instruction found",
            position=SourceText(name, text).position(0),
            hint='expected Triton\'s asm["amdgcn"] or llvm-objdump -d',
        )
    target = _TARGET.search(text)
    gfx = _GFX.findall(target[1]) if target else []
    return Assembly("amdgcn", functions, {"architecture": gfx[-1]} if gfx else {})


def _files(text: str) -> dict[int, str]:
    return {
        whole(number): str(PurePosixPath(first) / second) if second else first
        for number, first, second in _FILE.findall(text)
    }


class _Reader:
    """Line-by-line state."""

    def __init__(self, files: Mapping[int, str]) -> None:
        self._files = files
        self._by_name = {PurePosixPath(path).name: path for path in files.values()}
        self._declared: set[str] = set()
        self._functions: list[Function] = []
        self._name: str = ""
        self._open = False
        self._instructions: list[Instruction] = []
        self._labels: dict[str, int] = {}
        self._metadata: dict[str, dict[str, int | str]] = {}
        self._location: Location | None = None
        self._kernel: str = ""
        self._in_metadata = False
        self._entry: dict[str, str] = {}
        self._line = 0

    def read(self, line: str, number: int) -> None:
        """Take one line, the text's `number`th."""
        self._line = number
        if self._in_metadata:
            self._metadata_line(line)
            return
        code, _, comment = line.partition(";")
        if match := _INSTRUCTION.match(code.partition("//")[0]):
            self._instruction(match, line)
        elif match := _LOC.match(code):
            self._locate(match, comment)
        elif match := _LABEL.match(code.rstrip()):
            self._label(match[1])
        elif code.lstrip().startswith("."):
            self._directive(code)
        elif match := _INFO.match(line):
            self._info(match)

    def finish(self) -> tuple[Function, ...]:
        """Close the last function and give all, with what is known of each."""
        self._close()
        return tuple(
            replace(function, metadata=self._metadata.get(function.name, {})) for function in self._functions
        )

    def _directive(self, code: str) -> None:
        if match := _TYPE.match(code):
            self._declared.add(match[1])
        elif match := _KERNEL.match(code):
            self._kernel = match[1]
            self._facts(match[1])["entry"] = 1
        elif match := _HSA.match(code):
            if match[1] == "workgroup_processor_mode" and _is_count(match[2]):
                self._facts(self._kernel)["workgroup_processor_mode"] = int(match[2])
        elif code.strip() == ".amdgpu_metadata":
            self._in_metadata = True

    def _facts(self, name: str) -> dict[str, int | str]:
        return self._metadata.setdefault(name, {})

    def _label(self, name: str) -> None:
        if _END.match(name):
            self._close()
        elif name in self._declared or not (name.startswith((".", "BB")) or self._open):
            self._close()
            self._name, self._open, self._location = name, True, None
            self._instructions, self._labels = [], {}
        else:
            self._labels[name] = len(self._instructions)

    def _close(self) -> None:
        if self._open and self._instructions:
            self._functions.append(Function(self._name, tuple(self._instructions), self._labels))
        self._open = False

    def _info(self, match: re.Match[str]) -> None:
        key = _INFO_NAMES.get(match[1])
        if key is None or not self._functions or not _is_count(match[2]):
            return
        facts = self._facts(self._functions[-1].name)
        facts[key] = int(match[2])
        if key == "vgprs":
            facts.setdefault("registers", int(match[2]))

    def _locate(self, match: re.Match[str], comment: str) -> None:
        number, line, column = whole(match[1]), whole(match[2]), whole(match[3])
        if not line:
            self._location = None
            return
        callers = tuple(
            Location(self._by_name.get(str(file), str(file)), whole(at), whole(at_column))
            for file, at, at_column in _CHAIN.findall(comment)[1:]
        )
        self._location = Location(self._files.get(number, ""), line, column, callers=callers)

    def _instruction(self, match: re.Match[str], line: str) -> None:
        opcode, operands = match["opcode"], match["operands"] or ""
        offset = _OFFSET.search(line) if "//" in line else None
        self._instructions.append(
            Instruction(
                opcode=opcode,
                root=opcode.partition("_")[0] if opcode[1] != "_" else opcode.split("_")[1],
                operands=_operands(operands),
                predicate="",
                offset=int(offset[1], 16) if offset else -1,
                text=f"{opcode} {operands}" if operands else opcode,
                location=self._location,
                text_line=self._line,
            )
        )

    def _metadata_line(self, line: str) -> None:
        if line.strip() == ".end_amdgpu_metadata":
            self._in_metadata = False
            self._end_entry()
            return
        match = _METADATA_KEY.match(line)
        if line.startswith("  - "):
            self._end_entry()
        if match:
            self._entry[match[1]] = match[2]

    def _end_entry(self) -> None:
        """A kernel's entry is complete: keep what it says under our names."""
        name = self._entry.get("name", "").strip("'\"")
        if name:
            facts = self._facts(name)
            for key, ours in _METADATA_NAMES.items():
                value = self._entry.get(key, "")
                if _is_count(value):
                    facts[ours] = int(value)
        self._entry = {}


def _is_count(text: str) -> bool:
    """Whether a text is a number that something can be counted by."""
    return text.isdecimal() and len(text) <= _MOST_DIGITS


@lru_cache(maxsize=16384)
def _operands(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _COMMA.split(text)) if text else ()


_COMMA = re.compile(r",(?![^\[]*\])")
