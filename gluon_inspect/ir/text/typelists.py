"""Types among the tokens of an operation: one, a list, a list in parentheses."""

from __future__ import annotations

from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.text.attributes import Attributes
from gluon_inspect.ir.text.tokenizer import (
    ALIAS,
    ANGLED,
    ARROW,
    COLON,
    COMMA,
    DICTIONARY,
    LOCATION,
    OPEN_BRACE,
    OPEN_PAREN,
    OPEN_SQUARE,
    OTHER,
    WORD,
    Tokens,
)
from gluon_inspect.model.types import OpaqueType, Type

_SIMPLE = frozenset({ANGLED, ALIAS, WORD})
_PARAMETRIC = frozenset({"tensor", "vector", "memref", "tuple", "complex"})
"""Types whose `<` may stand apart."""

_SEPARATORS = frozenset({COMMA, OTHER})
"""`,` and the `*` of `A * B -> C`."""


class TypeLists:
    """Reads types at token positions."""

    def __init__(self, tokens: Tokens, attributes: Attributes) -> None:
        self._tokens = tokens
        self._attributes = attributes

    def at(self, index: int, row: OperationRow | None = None) -> tuple[Type, int]:
        """The type that begins at a token, and the token after it. Raises ParseError where none begins."""
        tokens = self._tokens
        if tokens.kinds[index] in _SIMPLE:
            if tokens.texts[index] in _PARAMETRIC and tokens.texts[index + 1][:1] == "<":
                text = tokens.texts[index] + tokens.texts[index + 1]
                return self._attributes.type(text, tokens.starts[index]), index + 2
            return self._simple(index, row), index + 1
        if tokens.kinds[index] == OPEN_PAREN:
            end = self._function_end(index)
            return self._attributes.type(tokens.slice(index, end), tokens.starts[index]), end
        raise tokens.error(index, "expected a type")

    def _simple(self, index: int, row: OperationRow | None) -> Type:
        text, offset = self._tokens.texts[index], self._tokens.starts[index]
        if text[0] != "<":
            return self._attributes.type(text, offset)
        if row is None or not row.shorthand:
            return OpaqueType(self._attributes.expand(text, offset))
        return self._attributes.type(row.shorthand + text, offset)

    def _function_end(self, index: int) -> int:
        tokens = self._tokens
        end = tokens.partner[index] + 1
        while tokens.kinds[end] == ARROW:
            after = end + 1
            end = tokens.partner[after] + 1 if tokens.kinds[after] == OPEN_PAREN else after + 1
        return end

    def begins(self, index: int) -> bool:
        """Whether a type may begin at a token."""
        return self._tokens.kinds[index] in _SIMPLE or self._tokens.kinds[index] == OPEN_PAREN

    def listed(self, index: int, row: OperationRow | None = None) -> list[Type]:
        """The types of a list that begins at a token, with or without parentheses around it."""
        tokens = self._tokens
        if tokens.kinds[index] == OPEN_PAREN and tokens.kinds[tokens.partner[index] + 1] != ARROW:
            return self._until(index + 1, tokens.partner[index], row)
        return self._until(index, len(tokens.kinds) - 1, row)

    def _until(self, index: int, end: int, row: OperationRow | None) -> list[Type]:
        tokens, found = self._tokens, list[Type]()
        while index < end and self.begins(index):
            of, index = self.at(index, row)
            found.append(of)
            index = self._past_attributes(index)
            if tokens.kinds[index] not in _SEPARATORS:
                break
            index += 1
        return found

    def _past_attributes(self, index: int) -> int:
        """Past the `{…}`, `[…]` and `loc(…)` that may follow a type in a list."""
        tokens = self._tokens
        while tokens.kinds[index] in (DICTIONARY, LOCATION, OPEN_BRACE, OPEN_SQUARE):
            if tokens.kinds[index] == OPEN_BRACE and tokens.kinds[index + 1] not in (WORD,):
                break
            index = tokens.partner.get(index, index) + 1
        return index

    def arguments(self, index: int) -> list[Type]:
        """The types of `(…)` at a token, each alone or after a name and a colon."""
        tokens, found = self._tokens, list[Type]()
        end, index = tokens.partner[index], index + 1
        while index < end:
            if tokens.kinds[index + 1] == COLON:
                index += 2
            of, index = self.at(index)
            found.append(of)
            index = self._past_attributes(index) + 1
        return found
