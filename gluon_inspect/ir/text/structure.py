"""The structure of a text: operations, regions, blocks. One loop with an explicit stack, whatever the nesting.

An operation begins at results and `=`, at a dotted name, at a quoted name before `(`, or at a bare word of
the enclosing operation's dialect; it ends where the next one begins, at its region's `}` or at its `loc(…)`.
Nothing here depends on which operations there are.
"""

from __future__ import annotations

from typing import Final

from gluon_inspect.ir.operations import builtin, lookup
from gluon_inspect.ir.text.assembly import Assembler
from gluon_inspect.ir.text.frames import OperationFrame, RegionFrame
from gluon_inspect.ir.text.literals import unquoted
from gluon_inspect.ir.text.tokenizer import (
    ALIAS,
    ALIAS_DEFINITION,
    ANGLED,
    ARROW,
    BLOCK,
    CLOSE,
    CLOSE_BRACE,
    COLON,
    COMMA,
    DICTIONARY,
    EQUAL,
    LOCATION,
    NUMBER,
    OPEN_BRACE,
    OPEN_PAREN,
    OPEN_SQUARE,
    OTHER,
    RESOURCE,
    SSA,
    STRING,
    SYMBOL,
    WORD,
    Tokens,
)
from gluon_inspect.model.mlir import Operation

_BARE: Final = {
    "builtin": frozenset({"module", "unrealized_conversion_cast"}),
    "func": frozenset({"func", "return", "call", "call_indirect", "constant"}),
}
"""Words that begin an operation of the enclosing operation's dialect."""

_TOP_WORDS: Final = {"func": builtin.FUNC.name, "module": builtin.MODULE.name}
_CONNECTING: Final = frozenset({COMMA, COLON, ARROW, EQUAL, OTHER})
"""After these an operation goes on."""

_PLAIN: Final = frozenset({ANGLED, NUMBER, ALIAS, SYMBOL, COMMA, COLON, ARROW, EQUAL, OTHER})
"""Kinds that neither begin nor end anything."""

_STARTING: Final = frozenset({SSA, WORD, STRING, BLOCK})
"""Kinds that may begin the next operation or block."""

_REGION_WORDS: Final = frozenset({"else", "do", "default"})
_TERMINATORS: Final = ("yield", "return")


class Structure:
    """Parses one tokenised text; `run` gives its top-level operations."""

    def __init__(self, tokens: Tokens, ends: dict[int, int], assembler: Assembler) -> None:
        self._tokens = tokens
        self._ends = ends
        self._assembler = assembler
        self._operation: OperationFrame | None = None
        self._regions: list[RegionFrame] = [
            RegionFrame(OperationFrame("", None, 0, 0, 0, False, []), "", dialect="builtin")
        ]

    def run(self) -> tuple[Operation, ...]:
        """Every top-level operation. Raises ParseError."""
        index = 0
        last = len(self._tokens.kinds) - 1
        while index < last or self._operation is not None:
            index = self._statement(index) if self._operation is None else self._continue(self._operation, index)
        if len(self._regions) > 1:
            raise self._tokens.error(last, "a region is never closed", "the text may be cut off")
        self._assembler.finish(self._regions[0])
        return tuple(self._regions[0].operations)

    def _statement(self, index: int) -> int:
        """Begin what stands at a place where an operation, a block or an alias may begin."""
        tokens = self._tokens
        kind = tokens.kinds[index]
        if kind == SSA:
            return self._with_results(index)
        if kind in (WORD, STRING):
            return self._begin(index, index, [])
        if kind == BLOCK:
            return self._block(index)
        if kind == CLOSE_BRACE:
            return self._close_region(index)
        if kind == ALIAS_DEFINITION and len(self._regions) == 1:
            return self._ends[index]
        if kind == RESOURCE and len(self._regions) == 1:
            return index + 1
        raise tokens.error(index, f"expected an operation, found '{tokens.texts[index] or 'the end'}'")

    def _with_results(self, index: int) -> int:
        tokens = self._tokens
        kinds, texts = tokens.kinds, tokens.texts
        start = index
        results: list[tuple[str, int, int]] = []
        while kinds[index] == SSA:
            count = 1
            name, offset = texts[index], tokens.starts[index]
            if "#" in name:
                raise tokens.error(index, f"a result cannot be named {name}")
            if kinds[index + 1] == COLON and kinds[index + 2] == NUMBER:
                count = self._count(index + 2)
                index += 2
            results.append((name, count, offset))
            index += 1
            if kinds[index] != COMMA:
                break
            index += 1
        if kinds[index] != EQUAL or kinds[index - 1] == COMMA:
            raise tokens.error(index, "expected '=' after the results")
        return self._begin(start, index + 1, results)

    def _count(self, index: int) -> int:
        text = self._tokens.texts[index]
        if not text.isdigit() or not 0 < int(text) < 10_000:
            raise self._tokens.error(index, "expected a number of results")
        return int(text)

    def _begin(self, start: int, index: int, results: list[tuple[str, int, int]]) -> int:
        """Begin the operation whose name is at `index`."""
        tokens = self._tokens
        kind, text = tokens.kinds[index], tokens.texts[index]
        generic = kind == STRING
        if generic:
            name = unquoted(text)
            if tokens.kinds[index + 1] != OPEN_PAREN:
                raise tokens.error(index + 1, f"expected '(' after \"{name}\"")
        elif kind == WORD:
            name = self._full_name(index, text, bool(results))
        else:
            raise tokens.error(index, "expected an operation's name")
        self._operation = OperationFrame(
            name, lookup(name), tokens.starts[start], index, index + 1, generic, results
        )
        return index + 1

    def _full_name(self, index: int, text: str, has_results: bool) -> str:
        if "." in text:
            return text
        dialect = self._regions[-1].dialect
        if len(self._regions) == 1 and text in _TOP_WORDS:
            return _TOP_WORDS[text]
        if dialect and (has_results or text in _BARE.get(dialect, ())):
            return f"{dialect}.{text}"
        raise self._tokens.error(index, f"expected an operation, found '{text}'")

    def _continue(self, frame: OperationFrame, index: int) -> int:
        """Read on in an operation until it ends or a region of it begins."""
        kinds = self._tokens.kinds
        while self._operation is frame:
            kind = kinds[index]
            if kind in _PLAIN:
                index += 1
            elif kind in _STARTING:
                index = self._end(frame, index) if self._starts(frame, index, kind) else self._past(index)
            elif kind in (OPEN_PAREN, OPEN_SQUARE, OPEN_BRACE, DICTIONARY):
                index = self._group(frame, index, kind)
            elif kind == LOCATION:
                index = self._end(frame, index, location=index) + 1
            elif frame.region_list and kind == CLOSE:
                frame.region_list = False
                frame.part = index = index + 1
            else:
                index = self._end(frame, index)
        return index

    def _starts(self, frame: OperationFrame, index: int, kind: int) -> bool:
        """Whether the next operation or block begins at `index`."""
        if kind == SSA:
            return self._is_next_statement(frame, index)
        if kind == WORD:
            return self._is_next_operation(index)
        if kind == STRING:
            return self._is_quoted_operation(frame, index)
        return self._is_label(index)

    def _group(self, frame: OperationFrame, index: int, kind: int) -> int:
        """Past brackets, unless they hold or are a region: then into it."""
        tokens = self._tokens
        if kind == DICTIONARY:
            return self._dictionary(frame, index, index + 1)
        if kind == OPEN_BRACE:
            if frame.region_list or (not frame.generic and self._opens_region(frame, index)):
                return self._open_region(frame, index, index)
            return self._dictionary(frame, index, tokens.partner[index] + 1)
        if kind == OPEN_PAREN and frame.generic and tokens.kinds[index + 1] == OPEN_BRACE:
            frame.region_list = True
            return self._open_region(frame, index, index + 1)
        return tokens.partner[index] + 1

    def _past(self, index: int) -> int:
        """Past a token, or past a list of values."""
        kinds = self._tokens.kinds
        is_value = kinds[index] == SSA
        index += 1
        while is_value and kinds[index] == COMMA and kinds[index + 1] == SSA:
            index += 2
        return index

    def _dictionary(self, frame: OperationFrame, index: int, end: int) -> int:
        self._assembler.header.read(frame, index, opens=False)
        self._assembler.add_dictionary(frame, index, end)
        frame.part = end
        return end

    def _is_next_statement(self, frame: OperationFrame, index: int) -> bool:
        """Whether the value at `index` is a result of the next operation rather than an operand of this one."""
        tokens = self._tokens
        kinds = tokens.kinds
        if kinds[index - 1] in _CONNECTING:
            return False
        at = index
        while True:
            at += 1
            if kinds[at] == COLON and kinds[at + 1] == NUMBER:
                at += 2
            if kinds[at] != COMMA or kinds[at + 1] != SSA:
                break
            at += 1
        if kinds[at] != EQUAL or kinds[at + 1] not in (WORD, STRING):
            return False
        return index - 1 != frame.head or tokens.on_new_line(index)

    def _is_next_operation(self, index: int) -> bool:
        tokens = self._tokens
        text = tokens.texts[index]
        if tokens.kinds[index - 1] in _CONNECTING:
            return False
        if "." in text:
            return tokens.kinds[index + 1] != EQUAL
        if text in _TOP_WORDS and (text == "module" or len(self._regions) == 1):
            return tokens.on_new_line(index)
        dialect = self._regions[-1].dialect
        return text in _BARE.get(dialect, ()) and tokens.on_new_line(index)

    def _is_quoted_operation(self, frame: OperationFrame, index: int) -> bool:
        tokens = self._tokens
        if tokens.kinds[index + 1] != OPEN_PAREN or tokens.kinds[index - 1] in _CONNECTING:
            return False
        return index - 1 != frame.head or tokens.on_new_line(index)

    def _is_label(self, index: int) -> bool:
        """Whether a block begins here rather than being gone to."""
        tokens = self._tokens
        before = tokens.kinds[index - 1]
        if before in (COMMA, OPEN_SQUARE) or (before == WORD and not tokens.on_new_line(index)):
            return False
        after = index + 1
        if tokens.kinds[after] == OPEN_PAREN:
            after = tokens.partner[after] + 1
        return tokens.kinds[after] == COLON

    def _opens_region(self, frame: OperationFrame, index: int) -> bool:
        """Whether `{` begins a region rather than an attribute dictionary."""
        tokens = self._tokens
        kinds = tokens.kinds
        if tokens.texts[index - 1] == "attributes":
            return False
        first, after = kinds[index + 1], kinds[index + 2]
        if first == CLOSE_BRACE:
            return (frame.row is not None and frame.row.regions) or tokens.texts[index - 1] in _REGION_WORDS
        if first == STRING:
            return after == OPEN_PAREN
        if first != WORD:
            return True
        if after in (EQUAL, COMMA):
            return False
        if after != CLOSE_BRACE:
            return True
        text = tokens.texts[index + 1]
        row = lookup(text)
        return text.endswith(_TERMINATORS) or (row is not None and tokens.on_new_line(index + 1))

    def _open_region(self, frame: OperationFrame, end: int, brace: int) -> int:
        """Read the header up to `end` and begin the region whose `{` is at `brace`."""
        name = self._region_name(frame, end)
        self._assembler.header.read(frame, end, opens=True)
        owner = self._assembler.enter(frame, self._regions[-1].dialect)
        region = RegionFrame(frame, name, dialect=owner)
        region.arguments = self._assembler.bound(frame)
        self._regions.append(region)
        self._operation = None
        return brace + 1

    def _region_name(self, frame: OperationFrame, end: int) -> str:
        tokens = self._tokens
        if frame.generic or frame.part >= end:
            return ""
        if tokens.texts[end - 1] in _REGION_WORDS:
            return tokens.texts[end - 1]
        return tokens.texts[frame.part] if frame.opened and tokens.kinds[frame.part] == WORD else ""

    def _block(self, index: int) -> int:
        region = self._regions[-1]
        if len(self._regions) == 1:
            raise self._tokens.error(index, "a block outside any region")
        label = self._tokens.texts[index][1:]
        if label in region.labels:
            raise self._tokens.error(index, f"^{label} is defined twice")
        region.labels.add(label)
        if region.in_block or region.operations:
            self._assembler.close_block(region)
            region.arguments = ()
        region.in_block = True
        region.label = label
        return self._block_arguments(region, index + 1)

    def _block_arguments(self, region: RegionFrame, index: int) -> int:
        tokens = self._tokens
        if tokens.kinds[index] == OPEN_PAREN:
            region.arguments += self._assembler.block_arguments(index)
            index = tokens.partner[index] + 1
        if tokens.kinds[index] != COLON:
            raise tokens.error(index, "expected ':' after a block's name")
        return index + 1

    def _close_region(self, index: int) -> int:
        if len(self._regions) == 1:
            raise self._tokens.error(index, "'}' closes nothing")
        region = self._regions.pop()
        self._assembler.close_region(region, index)
        self._operation = region.owner
        region.owner.part = index + 1
        return index + 1

    def _end(self, frame: OperationFrame, index: int, location: int = -1) -> int:
        """The operation ends before token `index`."""
        if frame.region_list:
            raise self._tokens.error(index, "expected ')' after the regions")
        self._assembler.header.read(frame, index, opens=False)
        region = self._regions[-1]
        region.operations.append(self._assembler.operation(frame, index, location))
        region.used.extend(frame.labels)
        self._operation = None
        return index
