"""The head of a function: its name, arguments with their attributes, results."""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.ir.text.attributes import Attributes
from gluon_inspect.ir.text.frames import Binding, OperationFrame
from gluon_inspect.ir.text.literals import symbol_name
from gluon_inspect.ir.text.tokenizer import (
    ARROW,
    COLON,
    COMMA,
    DICTIONARY,
    LOCATION,
    OPEN_BRACE,
    OPEN_PAREN,
    OTHER,
    SSA,
    SYMBOL,
    WORD,
    Tokens,
)
from gluon_inspect.ir.text.typelists import TypeLists
from gluon_inspect.model.mlir import Attribute
from gluon_inspect.model.types import FunctionType, Type

_VISIBILITIES = frozenset({"public", "private", "nested"})


class Functions:
    """Reads `public @name(%argument: type {attributes}, …) -> (results)`."""

    def __init__(self, tokens: Tokens, attributes: Attributes, lists: TypeLists) -> None:
        self._tokens = tokens
        self._attributes = attributes
        self._lists = lists

    def read(self, frame: OperationFrame, index: int, end: int) -> None:
        """Read tokens `index` to `end`: attributes and the arguments' names go to the frame."""
        tokens = self._tokens
        while index < end:
            kind = tokens.kinds[index]
            if kind == SYMBOL and "sym_name" not in frame.attributes:
                frame.attributes["sym_name"] = symbol_name(tokens.texts[index])
            elif kind == OPEN_PAREN and "sym_name" in frame.attributes and "function_type" not in frame.attributes:
                index = self._signature(frame, index)
                continue
            elif kind == WORD and tokens.texts[index] in _VISIBILITIES:
                frame.attributes["sym_visibility"] = tokens.texts[index]
            index = tokens.partner.get(index, index) + 1

    def _signature(self, frame: OperationFrame, index: int) -> int:
        tokens = self._tokens
        end = tokens.partner[index]
        inputs, attributes = self._arguments(frame, index + 1, end)
        results: list[Type] = []
        if tokens.kinds[end + 1] == ARROW:
            results = self._lists.listed(end + 2)
            end = tokens.partner.get(end + 2, end + 2)
        frame.attributes["function_type"] = FunctionType(tuple(inputs), tuple(results))
        frame.attributes["arg_attrs"] = tuple(attributes)
        return end + 1

    def _arguments(
        self, frame: OperationFrame, index: int, end: int
    ) -> tuple[list[Type], list[Mapping[str, Attribute]]]:
        tokens = self._tokens
        inputs: list[Type] = []
        attributes: list[Mapping[str, Attribute]] = []
        while index < end and tokens.kinds[index] != OTHER:
            named = index if tokens.kinds[index] == SSA and tokens.kinds[index + 1] == COLON else -1
            of, index = self._lists.at(index + 2 if named >= 0 else index)
            found, location, index = self._details(index)
            inputs.append(of)
            attributes.append(found)
            if named >= 0:
                frame.bindings.append(Binding(tokens.texts[named], of, tokens.starts[named], location))
            if index < end and tokens.kinds[index] != COMMA:
                raise tokens.error(index, "expected ',' between arguments")
            index += 1
        return inputs, attributes

    def _details(self, index: int) -> tuple[Mapping[str, Attribute], str, int]:
        """The attributes and the location after an argument, and the token after them."""
        tokens = self._tokens
        found: Mapping[str, Attribute] = {}
        location = ""
        while tokens.kinds[index] in (DICTIONARY, OPEN_BRACE, LOCATION):
            end = tokens.partner.get(index, index) + 1
            if tokens.kinds[index] == LOCATION:
                location = tokens.texts[index]
            else:
                found = self._attributes.dictionary(tokens.slice(index, end), tokens.starts[index])
            index = end
        return found, location, index
