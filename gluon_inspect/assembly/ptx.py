"""PTX text to instructions, as LLVM's NVPTX back end and Triton's inline assembly write it.

Inline assembly needs care: LLVM counts the source line up by one for every line of an inline-assembly
string, so only the first `.loc` of a block names a true line; the others are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from gluon_inspect.errors import ParseError
from gluon_inspect.model.asm import Assembly, Function, Instruction
from gluon_inspect.model.location import Location
from gluon_inspect.source import SourceText, whole

_VERSION = re.compile(r"^\s*\.version\s+\d", re.MULTILINE)
_TARGET = re.compile(r"^\s*\.target\s+(sm_\w+)", re.MULTILINE)
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)
_HEADER = re.compile(r"\s*(?:\.(?:visible|extern|weak|common)\s+)*\.(?:entry|func)\b")
_NAME = re.compile(r"\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)")
_ENTRY = re.compile(r"\.entry\b")
_THREADS = re.compile(r"\.(?:reqntid|maxntid)\s+(\d+)")
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*?inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")
_LABEL = re.compile(r"\s*([\w$%.]+)\s*:(?!:)")
_INSTRUCTION = re.compile(
    r"(?P<predicate>@!?%?[\w$]+\s+)?(?P<opcode>[a-z][\w.:]*)(?:\s+(?P<operands>.*))?", re.DOTALL
)
_BLANKS = re.compile(r"\s+")
_BEGIN, _END = "begin inline asm", "end inline asm"

_Place = tuple[int, int, int]


def looks_like_ptx(text: str) -> bool:
    """Whether a text (its first part is enough) is PTX: it names a version and a target."""
    return bool(_VERSION.search(text) and _TARGET.search(text))


def parse_ptx(text: str, name: str = "<ptx>") -> Assembly:
    """All functions with a body, their instructions and source locations (call-site chains kept).

    Raises ParseError when the text has no `.version`, no function, or ends inside one.
    """
    source = SourceText(name, text)
    if not looks_like_ptx(text):
        hint = "PTX begins with .version and .target"
        raise ParseError("not PTX", position=source.position(0), hint=hint)
    reader = _Reader({whole(number): path for number, path in _FILE.findall(text)})
    for number, line in enumerate(text.split("\n"), start=1):
        reader.read(number, line)
    end = source.position(len(text))
    if reader.is_open:
        raise ParseError("PTX ends inside a function", position=end, hint="is the file complete?")
    if not reader.functions:
        raise ParseError("no PTX function with a body", position=end, hint="is the file complete?")
    target = _TARGET.search(text)
    return Assembly("ptx", tuple(reader.functions), {"architecture": target[1]} if target else {})


def lines_of(assembly: Assembly) -> Mapping[int, Location]:
    """Where each PTX line comes from in Python: what SASS with PTX lines is located by."""
    return {
        instruction.ptx_line: instruction.location
        for function in assembly.functions
        for instruction in function.instructions
        if instruction.location is not None
    }


class _Reader:
    """Line-by-line state: open function, unfinished statement, source location."""

    def __init__(self, files: Mapping[int, str]) -> None:
        self.functions: list[Function] = []
        self._files = files
        self._header: list[str] | None = None
        self._depth = 0
        self._name: str = ""
        self._metadata: dict[str, int | str] = {}
        self._instructions: list[Instruction] = []
        self._labels: dict[str, int] = {}
        self._statement: str = ""
        self._statement_line = 0
        self._location: Location | None = None
        self._known: dict[_Place, Location] = {}
        self._inline = False
        self._inline_located = False

    @property
    def is_open(self) -> bool:
        """Whether a function has begun and not ended."""
        return self._depth > 0 or self._header is not None

    def read(self, number: int, line: str) -> None:
        """Take one line."""
        code, _, comment = line.partition("//")
        if comment:
            self._comment(comment)
        if not self._depth:
            self._outside(code)
        elif match := _LOC.match(code):
            self._locate(match)
        elif code.strip():
            self._inside(number, code)

    def _comment(self, comment: str) -> None:
        if _BEGIN in comment:
            self._inline, self._inline_located = True, False
        elif _END in comment:
            self._inline = False

    def _outside(self, code: str) -> None:
        if self._header is None and _HEADER.match(code):
            self._header = []
        if self._header is None:
            return
        before, brace, _ = code.partition("{")
        self._header.append(before)
        if brace:
            self._open("\n".join(self._header))
        elif ";" in code:
            self._header = None

    def _open(self, header: str) -> None:
        name, threads = _NAME.search(header), _THREADS.search(header)
        self._name = name[1] if name else ""
        self._metadata = {"threads": whole(threads[1])} if threads and whole(threads[1]) else {}
        if _ENTRY.search(header):
            self._metadata["entry"] = 1
        self._instructions, self._labels, self._statement = [], {}, ""
        self._header, self._depth, self._location, self._inline = None, 1, None, False
        self._known = {}

    def _locate(self, match: re.Match[str]) -> None:
        if self._inline and self._inline_located:
            return
        self._inline_located = self._inline
        numbers = [whole(group) if group else 0 for group in match.groups()]
        place, caller = (numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5])
        callers = self._known[caller].chain if caller in self._known else self._place(caller)
        location = Location(self._files.get(place[0], ""), place[1], place[2], callers=callers)
        self._known[place] = location
        self._location = location if place[1] else None

    def _place(self, place: _Place) -> tuple[Location, ...]:
        return (Location(self._files.get(place[0], ""), place[1], place[2]),) if place[0] else ()

    def _inside(self, number: int, code: str) -> None:
        if not self._statement:
            self._statement_line = number
        self._statement += code + " "
        while self._statement and self._take():
            self._statement_line = number

    def _take(self) -> bool:
        """Consume one brace, label or whole statement; False when the rest must wait for more text."""
        text = self._statement.lstrip()
        if text[:1] in ("{", "}"):
            self._brace(text[0])
            self._statement = text[1:].lstrip()
            return True
        if match := _LABEL.match(text):
            self._labels[match[1]] = len(self._instructions)
            self._statement = text[match.end() :].lstrip()
            return True
        statement, semicolon, rest = text.partition(";")
        if semicolon:
            self._finish(statement.strip())
            self._statement = rest.lstrip()
        return bool(semicolon)

    def _brace(self, brace: str) -> None:
        self._depth += 1 if brace == "{" else -1
        if not self._depth:
            self.functions.append(
                Function(self._name, tuple(self._instructions), self._labels, dict(self._metadata))
            )

    def _finish(self, statement: str) -> None:
        if not statement or statement.startswith("."):
            return
        match = _INSTRUCTION.fullmatch(statement)
        text = _BLANKS.sub(" ", statement)
        opcode = match["opcode"] if match else ""
        self._instructions.append(
            Instruction(
                opcode=opcode,
                root=opcode.partition(".")[0],
                operands=_operands(match["operands"] or "") if match else (),
                predicate=(match["predicate"] or "").strip() if match else "",
                offset=-1,
                text=text,
                location=self._location,
                ptx_line=self._statement_line,
                text_line=self._statement_line,
            )
        )


@lru_cache(maxsize=16384)
def _operands(text: str) -> tuple[str, ...]:
    return tuple(_BLANKS.sub(" ", part).strip() for part in _split(text) if part.strip())


def _split(text: str) -> Iterator[str]:
    """Split at commas outside brackets, braces and parentheses."""
    depth, start = 0, 0
    for match in re.finditer(r"[][{}(),]", text):
        character = match[0]
        if character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif not depth:
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]
