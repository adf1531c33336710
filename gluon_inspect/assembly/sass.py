"""SASS text to instructions: `cuobjdump -sass`, `nvdisasm` (plain, -g, -gi, -hex) and Triton's asm["sass"].

One regular expression a kind of line; a line that fits none is skipped when it is a known kind of decoration
and otherwise kept as an opaque instruction, so that nothing is lost without a trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from gluon_inspect.assembly.isa.sass_control import control_text
from gluon_inspect.errors import ParseError
from gluon_inspect.model.asm import Assembly, Function, Instruction
from gluon_inspect.model.location import Location
from gluon_inspect.source import SourceText, whole

_INSTRUCTION = re.compile(
    r"\s*(?:/\*(?P<offset>[0-9a-f]{4,})\*/\s+)?"
    r"(?:(?P<control>[0-9a-f-]{2}:[0-9-]:[0-9-]:[Y-]:[0-9a-f-])\s+)?"
    r"(?P<predicate>@!?U?P(?:\d+|T)\s+)?"
    r"(?P<opcode>[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)"
    r"(?:\s+(?P<operands>[^;]*?))?\s*;"
)
_FUNCTION = re.compile(r"\s*Function\s*:\s*(\S+)\s*$")
_SECTION = re.compile(r"\.text\.(\S+):\s*$")
_LABEL = re.compile(r"\s*(\.?[A-Za-z_$][\w.$]*):\s*$")
_TYPE = re.compile(r'\s*\.type\s+(\S+?),\s*@"?function"?')
_SOURCE_LINE = re.compile(
    r'\s*//## File "(?P<file>[^"]*)", line (?P<line>\d+)(?: inlined at "(?P<at>[^"]*)", line (?P<at_line>\d+))?'
)
_ENTRY = re.compile(r'\s*\.other\s+(\S+?),\s*@"STO_CUDA_ENTRY')
_TARGET = re.compile(r"\s*(?:\.target\s+|code for )(sm_\w+)")
_REGISTERS = re.compile(r'\s*\.sectioninfo\s+@"SHI_REGISTERS=(\d+)"')
_UPPER_HALF = re.compile(r"\s*/\* 0x([0-9a-f]{16}) \*/\s*$")
"""The second half of a 128-bit encoding, which `-hex` and cuobjdump print on a line of its own."""
_WIDE_BYTES = 16

_BARE_INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+[^/\s.]")

_PTX = ".nv_debug_ptx_txt"
"""The file that `nvdisasm -gp` names for lines of the PTX."""

_REUSE = re.compile(r"\.reuse\b")


def parse_sass(text: str, name: str = "<sass>") -> Assembly:
    """All functions of a SASS listing, in order, with source locations where the listing has them.

    `-gi` listings give call-site chains, `-g` listings the innermost line only, others none. Raises
    ParseError when the text holds no SASS instruction.
    """
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), 1):
        reader.read(line, number)
    functions = reader.finish()
    if not any(function.instructions for function in functions):
        raise ParseError(
            "no SASS instruction found",
            position=SourceText(name, text).position(0),
            hint='expected the output of cuobjdump -sass or nvdisasm, or Triton\'s asm["sass"]',
        )
    metadata: dict[str, int | str] = {"architecture": reader.target} if reader.target else {}
    return Assembly("sass", functions, metadata)


def located_by_ptx(assembly: Assembly, lines: Mapping[int, Location]) -> Assembly:
    """The same SASS with each instruction's location taken from its PTX line, where both are known.

    The lines in a cubin count inline assembly up (a load that follows four moves in one `asm` string reads
    four lines too low); `parsers.ptx.lines_of` gives the true ones, with columns.
    """
    functions = tuple(
        replace(function, instructions=tuple(_relocated(each, lines) for each in function.instructions))
        for function in assembly.functions
    )
    return replace(assembly, functions=functions)


def _relocated(instruction: Instruction, lines: Mapping[int, Location]) -> Instruction:
    location = lines.get(instruction.ptx_line)
    return replace(instruction, location=location) if location is not None else instruction


def looks_like_sass(text: str) -> bool:
    """Whether a text (its first part is enough) is a SASS listing."""
    return any(
        _FUNCTION.match(line)
        or _SECTION.match(line)
        or ((match := _INSTRUCTION.match(line)) and (match["offset"] or match["control"]))
        for line in text.split("\n")
    )


class _Reader:
    """Line-by-line state: the open function, the current location, labels that wait."""

    def __init__(self) -> None:
        self.target: str = ""
        self._functions: list[Function] = []
        self._name: str = ""
        self._open = False
        self._instructions: list[Instruction] = []
        self._labels: dict[str, int] = {}
        self._metadata: dict[str, int | str] = {}
        self._declared: set[str] = set()
        self._entries: set[str] = set()
        self._location: Location | None = None
        self._chain: list[tuple[str, int]] = []
        self._ptx_line = 0
        self._line = 0

    def read(self, line: str, number: int) -> None:
        """Take one line, the text's `number`th."""
        self._line = number
        if match := _INSTRUCTION.match(line):
            self._instruction(match)
        elif match := _UPPER_HALF.match(line):
            self._upper_half(int(match[1], 16))
        elif match := _SOURCE_LINE.match(line):
            self._source_line(match)
        elif match := _SECTION.match(line):
            self._start(match[1])
        elif match := _FUNCTION.match(line):
            # cuobjdump prints what a kernel calls inside the kernel, under its name
            self._entries.add(match[1])
            self._start(match[1])
        elif match := _LABEL.match(line):
            self._label(match[1])
        elif match := _TYPE.match(line):
            self._declared.add(match[1])
        elif match := _ENTRY.match(line):
            self._entries.add(match[1])
        elif match := _TARGET.match(line):
            self.target = match[1]
        elif (match := _REGISTERS.match(line)) and whole(match[1]):
            self._metadata["registers"] = whole(match[1])
        elif _BARE_INSTRUCTION.match(line):
            self._opaque(line)

    def finish(self) -> tuple[Function, ...]:
        """Close the last function and give all; kernels are marked as entries."""
        self._close()
        return tuple(
            replace(each, metadata={**each.metadata, "entry": 1}) if each.name in self._entries else each
            for each in self._functions
        )

    def _start(self, name: str) -> None:
        if self._open and name == self._name and not self._instructions:
            return
        metadata = self._metadata if not self._open else {}
        self._close()
        self._name, self._open, self._metadata = name, True, metadata
        self._instructions, self._labels = [], {}
        self._location, self._chain, self._ptx_line = None, [], 0

    def _close(self) -> None:
        if not self._open and not self._instructions:
            return
        if not self._instructions and self._functions:
            self._open = False
            return
        self._functions.append(Function(self._name, tuple(self._instructions), self._labels, dict(self._metadata)))
        self._open, self._instructions, self._labels, self._metadata = False, [], {}, {}

    def _label(self, name: str) -> None:
        if name in self._declared and name != self._name:
            self._start(name)
        elif name != self._name:
            self._labels[name] = len(self._instructions)

    def _source_line(self, match: re.Match[str]) -> None:
        if match["file"] == _PTX:
            self._ptx_line = whole(match["line"])
        else:
            self._chain.append((match["file"], whole(match["line"])))

    def _instruction(self, match: re.Match[str]) -> None:
        if self._chain:
            self._location = _located(tuple(self._chain))
            self._chain = []
        opcode, operands = match["opcode"], match["operands"] or ""
        predicate = (match["predicate"] or "").rstrip()
        parts = (predicate, opcode, operands)
        self._instructions.append(
            Instruction(
                opcode=opcode,
                root=opcode.partition(".")[0],
                operands=_operands(operands),
                predicate=predicate,
                offset=int(match["offset"], 16) if match["offset"] else -1,
                text=" ".join(part for part in parts if part),
                location=self._location,
                control=match["control"] or "",
                ptx_line=self._ptx_line,
                text_line=self._line,
            )
        )

    def _upper_half(self, bits: int) -> None:
        """The control of the instruction above, unless the target is one of those with 64-bit instructions."""
        last = self._instructions[-1] if self._instructions else None
        if last is not None and not last.control and last.offset >= 0 and last.offset % _WIDE_BYTES == 0:
            self._instructions[-1] = replace(last, control=control_text(bits))

    def _opaque(self, line: str) -> None:
        text = line.partition("*/")[2].strip()
        self._instructions.append(Instruction("", "", (), "", -1, text, self._location))


@lru_cache(maxsize=65536)
def _operands(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    if ".reuse" in text:
        text = _REUSE.sub("", text)
    return tuple(part.strip() for part in _split(text))


def _split(text: str) -> Iterable[str]:
    """Split at commas outside brackets and braces."""
    if "{" not in text and "(" not in text:
        return text.split(",")
    parts, depth, start = list[str](), 0, 0
    for at, character in enumerate(text):
        if character in "{([":
            depth += 1
        elif character in "})]":
            depth -= 1
        elif character == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return parts


@lru_cache(maxsize=65536)
def _located(chain: tuple[tuple[str, int], ...]) -> Location:
    innermost, *callers = (Location(file, line) for file, line in chain)
    return Location(innermost.file, innermost.line, callers=tuple(callers))
