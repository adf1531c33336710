"""Types and attributes of one text: aliases expanded, each distinct text read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import cast

from gluon_inspect.errors import ParseError
from gluon_inspect.ir.text.checks import REFERENCE
from gluon_inspect.ir.text.encodings import ENCODING_TYPES
from gluon_inspect.ir.text.grammar import UNREADABLE, bracket_error, read
from gluon_inspect.ir.text.literals import unquoted
from gluon_inspect.ir.text.tokenizer import OPEN_BRACE, OPEN_PAREN, OPEN_SQUARE, QUOTED, Tokens, error
from gluon_inspect.model.encodings import Encoding, OpaqueEncoding
from gluon_inspect.model.mlir import Attribute, OpaqueAttribute
from gluon_inspect.model.types import OpaqueType, Type
from gluon_inspect.source import SourceText

_MARK = re.compile(rf"{QUOTED}|->|[<>]=|[<>()\[\]{{}},]")
_ENTRY = re.compile(rf"([A-Za-z_][\w$.]*+|{QUOTED})\s*+(?:=\s*+(.+))?\Z", re.DOTALL)
_MAX_EXPANSION = 1_000_000
"""Characters that expanding the aliases of one text may add."""

_OPENERS = frozenset({OPEN_PAREN, OPEN_SQUARE, OPEN_BRACE})


class Attributes:
    """Reads the types and attributes of one text; raises ParseError at the offset it is given."""

    def __init__(self, source: SourceText, aliases: Mapping[str, tuple[str, int]] | None = None) -> None:
        self._source = source
        self._aliases = aliases or {}
        self._expanded: dict[str, str] = {}
        self._types: dict[str, Type] = {}
        self._attributes: dict[str, Attribute] = {}
        self._budget = _MAX_EXPANSION

    def type(self, text: str, offset: int) -> Type:
        """A type; one that is not understood stays opaque."""
        known = self._types.get(text)
        if known is None:
            expanded = self.expand(text, offset)
            value = self._read("type", expanded, offset)
            known = OpaqueType(expanded) if value is UNREADABLE else cast(Type, value)
            self._types[text] = known
        return known

    def attribute(self, text: str, offset: int) -> Attribute:
        """An attribute; one that is not understood stays opaque."""
        if text not in self._attributes:
            expanded = self.expand(text, offset)
            value = self._read("attribute", expanded, offset)
            self._attributes[text] = OpaqueAttribute(expanded) if value is UNREADABLE else cast(Attribute, value)
        return self._attributes[text]

    def dictionary(self, text: str, offset: int) -> Mapping[str, Attribute]:
        """An attribute dictionary; an entry that is not understood stays opaque."""
        value = self.attribute(text, offset)
        if not isinstance(value, Mapping):
            value = self._attributes[text] = self._entries(text, offset)
        return value

    def _entries(self, text: str, offset: int) -> Mapping[str, Attribute]:
        """A dictionary entry by entry."""
        found: dict[str, Attribute] = {}
        for start, end in _split(text):
            at = offset + start
            match = _ENTRY.match(text[start:end])
            if match is None:
                raise self._error(at, "expected a name, or a name, '=' and a value")
            name = unquoted(match[1]) if match[1][0] == '"' else match[1]
            if name in found:
                raise self._error(at, f"attribute {name} is given twice")
            found[name] = self.attribute(match[2].strip(), at) if match[2] else True
        return found

    def encoding(self, text: str, offset: int) -> Encoding:
        """An encoding attribute."""
        value = self.attribute(text, offset)
        return cast(Encoding, value) if isinstance(value, ENCODING_TYPES) else OpaqueEncoding(text)

    def _read(self, start: str, text: str, offset: int) -> object:
        value = read(start, text)
        if value is UNREADABLE:
            wrong = bracket_error(text)
            if wrong:
                raise self._error(offset, wrong[1])
        return value

    def expand(self, text: str, offset: int) -> str:
        """The text with every alias replaced by what it stands for."""
        if "#" not in text and "!" not in text:
            return text
        return REFERENCE.sub(lambda match: self._replacement(match, offset), text)

    def _replacement(self, match: re.Match[str], offset: int) -> str:
        name = match[1]
        if name is None:
            return match[0]
        value = self._resolve(name, offset)
        self._budget -= len(value)
        if self._budget < 0:
            raise self._error(offset, f"alias {name} expands to too much text")
        return value

    def _resolve(self, name: str, offset: int) -> str:
        """An alias's text, expanded; the chain of aliases is walked without recursion."""
        waiting, begun = [name], {name}
        while waiting:
            top = waiting[-1]
            if top in self._expanded or top not in self._aliases:
                self._require(waiting.pop(), offset)
                begun.discard(top)
                continue
            missing = self._missing(top)
            if any(one in begun for one in missing):
                raise self._error(offset, f"alias {top} is defined by itself")
            if missing:
                waiting.append(missing[0])
                begun.add(missing[0])
            else:
                self._expanded[top] = self._substituted(top, offset)
        return self._expanded[name]

    def _require(self, name: str, offset: int) -> None:
        if name not in self._expanded:
            raise self._error(offset, f"undefined alias {name}")

    def _missing(self, name: str) -> list[str]:
        found = (match[1] for match in REFERENCE.finditer(self._aliases[name][0]))
        return [one for one in found if one and one not in self._expanded]

    def _substituted(self, name: str, offset: int) -> str:
        text = REFERENCE.sub(
            lambda match: self._expanded[match[1]] if match[1] else match[0], self._aliases[name][0]
        )
        self._budget -= len(text)
        if self._budget < 0:
            raise self._error(offset, f"alias {name} expands to too much text")
        return text

    def _error(self, offset: int, message: str) -> ParseError:
        return error(self._source, offset, message)


def _split(text: str) -> list[tuple[int, int]]:
    """Start and end of what stands between the commas outside brackets of `{…}`, blanks left out."""
    commas = [0]
    level = 0
    for match in _MARK.finditer(text):
        mark = match.group()
        level += (mark in "<([{") - (mark in ">)]}")
        if mark == "," and level == 1:
            commas.append(match.start())
    commas.append(text.rindex("}"))
    parts = [(start + 1, end) for start, end in pairwise(commas)]
    inner = [(end - len(text[start:end].lstrip()), start + len(text[start:end].rstrip())) for start, end in parts]
    return [] if len(inner) == 1 and inner[0][0] >= inner[0][1] else inner


def alias_definitions(tokens: Tokens) -> tuple[dict[str, tuple[str, int]], dict[int, int]]:
    """Every alias's text and offset, and for each definition's token the token after its value.

    Raises ParseError where an alias is defined twice or has no value.
    """
    aliases: dict[str, tuple[str, int]] = {}
    ends: dict[int, int] = {}
    for index in tokens.definitions:
        name = tokens.texts[index].rstrip("= \t\r\n")
        end = _value_end(tokens, index + 1)
        if name in aliases:
            raise tokens.error(index, f"alias {name} is defined twice")
        wrong = bracket_error(tokens.slice(index + 1, end))
        if wrong:
            raise tokens.error_at(tokens.starts[index + 1] + wrong[0], wrong[1])
        aliases[name] = (tokens.slice(index + 1, end), tokens.starts[index + 1])
        ends[index] = end
    return aliases, ends


def _value_end(tokens: Tokens, index: int) -> int:
    index = _primary_end(tokens, index)
    while tokens.texts[index] in (":", "->", "::"):
        index = _primary_end(tokens, index + 1)
    return index


def _primary_end(tokens: Tokens, index: int) -> int:
    """Past one name, literal or bracketed group (`distinct[0]<…>` is three)."""
    kinds, texts = tokens.kinds, tokens.texts
    if texts[index] == "distinct" and texts[index + 1] == "[":
        return tokens.partner[index + 1] + 2
    if kinds[index] in _OPENERS:
        return tokens.partner[index] + 1
    if texts[index] in ("", ",", ":", "=", "->", ")", "]", "}"):
        raise tokens.error(index, "an alias needs a value")
    return index + 1
