"""What stands between an operation's name and its end or its next region: operands, words, names for a region."""

from __future__ import annotations

from typing import Final

from gluon_inspect.ir.operations.enumerations import normalised
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.ir.text.attributes import Attributes
from gluon_inspect.ir.text.frames import Binding, OperationFrame
from gluon_inspect.ir.text.functions import Functions
from gluon_inspect.ir.text.literals import symbol_name, unquoted
from gluon_inspect.ir.text.roles import repeats, role_of
from gluon_inspect.ir.text.scopes import Scopes
from gluon_inspect.ir.text.tokenizer import (
    ALIAS,
    ANGLED,
    ARROW,
    BLOCK,
    CLOSE,
    COLON,
    COMMA,
    EQUAL,
    LOCATION,
    NUMBER,
    OPEN_BRACE,
    OPEN_PAREN,
    OPEN_SQUARE,
    SSA,
    STRING,
    SYMBOL,
    WORD,
    Tokens,
)
from gluon_inspect.ir.text.typelists import TypeLists
from gluon_inspect.model.mlir import Attribute, SymbolReference
from gluon_inspect.model.types import ScalarType, Type

_INDEX: Final = ScalarType("index", 64)
_LITERALS: Final = frozenset({NUMBER, STRING, WORD, ANGLED, ALIAS})


class Header:
    """Reads one part of an operation's header at a time, keeping only the brackets it is in."""

    def __init__(self, tokens: Tokens, attributes: Attributes, scopes: Scopes, lists: TypeLists) -> None:
        self._tokens = tokens
        self._attributes = attributes
        self._scopes = scopes
        self._lists = lists
        self._functions = Functions(tokens, attributes, lists)
        self._keyword = ""
        self._square = 0

    def read(self, frame: OperationFrame, end: int, *, opens: bool) -> None:
        """Read from `frame.part` to token `end`; `opens`: a region follows; names for it go to `bindings`."""
        start, frame.part = frame.part, end
        self._keyword = ""
        self._square = 0
        row = frame.row
        if start < end:
            if row is None or frame.generic:
                self._walk(frame, start, end, opens)
            elif row.kind is OperationKind.FUNCTION:
                self._functions.read(frame, start, end)
            else:
                if row.literal:
                    self._literal(frame, row.literal, start, end)
                self._walk(frame, start, end, opens)
        frame.opened += opens

    def _literal(self, frame: OperationFrame, name: str, start: int, end: int) -> None:
        tokens = self._tokens
        if tokens.kinds[start] == OPEN_PAREN:
            start, end = start + 1, tokens.partner[start]
        if name not in frame.attributes and tokens.kinds[start] != COLON:
            text = tokens.slice(start, end)
            frame.attributes[name] = self._attributes.attribute(text, tokens.starts[start])

    def _walk(self, frame: OperationFrame, index: int, end: int, opens: bool) -> None:
        kinds = self._tokens.kinds
        depth = 0
        while index < end:
            kind = kinds[index]
            if kind == SSA:
                index = self._name(frame, index, depth, opens)
            elif kind == COMMA:
                index += 1
            elif kind in (OPEN_PAREN, OPEN_SQUARE):
                depth += 1
                if kind == OPEN_SQUARE:
                    self._open_square(frame, index, depth)
                index += 1
            elif kind == CLOSE:
                depth -= 1
                self._close()
                index += 1
            elif kind == BLOCK:
                index = self._successor(frame, index)
            elif depth == 0:
                index = self._outside(frame, index, kind, opens)
            else:
                index = self._tokens.partner[index] + 1 if kind == OPEN_BRACE else index + 1

    def _open_square(self, frame: OperationFrame, index: int, depth: int) -> None:
        self._square += 1
        frame.brackets += 1
        frame.in_bracket = 0
        if depth == 1 and len(frame.operands) == 1:
            frame.token_bracket = True
        if frame.row is not None and frame.row.bracket and not frame.generic:
            tokens = self._tokens
            texts = [
                tokens.texts[at] for at in range(index + 1, tokens.partner[index]) if tokens.kinds[at] == NUMBER
            ]
            frame.attributes.setdefault(
                frame.row.bracket, tuple(int(text, 0) for text in texts if "." not in text)
            )

    def _close(self) -> None:
        if self._square:
            self._square -= 1
            self._keyword = ""

    def _name(self, frame: OperationFrame, index: int, depth: int, opens: bool) -> int:
        """A use of a value, or a name for the region that follows."""
        tokens = self._tokens
        if (opens or tokens.kinds[index + 1] == EQUAL) and self._binds(frame, index, depth):
            return self._bind(frame, index)
        value = self._scopes.use(tokens.texts[index], tokens.starts[index])
        row = frame.row
        if row is not None and row.roles.positional and not frame.generic:
            role = role_of(frame, row.roles, self._keyword, in_square=self._square > 0)
            frame.groups.setdefault(role, []).append(len(frame.operands))
            if self._keyword and not self._square and not repeats(row.roles, self._keyword):
                self._keyword = ""
        frame.operands.append(value)
        return index + 1

    def _binds(self, frame: OperationFrame, index: int, depth: int) -> bool:
        after = self._tokens.kinds[index + 1]
        if after == EQUAL:
            return True
        if after == COLON and depth:
            return frame.opened > 0 or not self._scopes.is_defined(self._tokens.texts[index])
        return frame.row is None and not self._scopes.is_defined(self._tokens.texts[index])

    def _bind(self, frame: OperationFrame, index: int) -> int:
        tokens = self._tokens
        name, offset = tokens.texts[index], tokens.starts[index]
        of: Type = _INDEX
        location = ""
        if tokens.kinds[index + 1] == COLON:
            of, index = self._lists.at(index + 2)
            location = tokens.texts[index] if tokens.kinds[index] == LOCATION else ""
        elif tokens.kinds[index + 1] == EQUAL and tokens.kinds[index + 2] == SSA:
            value = self._scopes.use(tokens.texts[index + 2], tokens.starts[index + 2])
            frame.operands.append(value)
            of, index = value.type, index + 3
        else:
            index += 1
        frame.bindings.append(Binding(name, of, offset, location))
        return index

    def _successor(self, frame: OperationFrame, index: int) -> int:
        """A block to go to, with the values it is given."""
        tokens = self._tokens
        label = tokens.texts[index][1:]
        frame.labels.append((label, tokens.starts[index]))
        if tokens.kinds[index + 1] != OPEN_PAREN:
            frame.successors.append((label, ()))
            return index + 1
        end = tokens.partner[index + 1]
        names = [at for at in range(index + 2, end) if tokens.kinds[at] == SSA]
        values = tuple(self._scopes.use(tokens.texts[at], tokens.starts[at]) for at in names)
        frame.operands.extend(values)
        frame.successors.append((label, values))
        return end + 1

    def _outside(self, frame: OperationFrame, index: int, kind: int, opens: bool) -> int:
        """A token outside all brackets that is neither a value nor a block."""
        if kind == COLON:
            frame.last_colon = index
            frame.colon = index if frame.colon < 0 else frame.colon
        elif kind == ARROW:
            frame.arrow = index
        elif kind == SYMBOL:
            return self._symbol(frame, index)
        elif kind == ANGLED and self._tokens.texts[index].startswith("<{"):
            text = self._tokens.texts[index][1:-1]
            frame.attributes.update(self._attributes.dictionary(text, self._tokens.starts[index] + 1))
        elif frame.colon < 0 and frame.arrow < 0:
            return self._word(frame, index, kind, opens)
        elif kind == WORD and self._tokens.texts[index] == "to":
            frame.to = index
        return index + 1

    def _symbol(self, frame: OperationFrame, index: int) -> int:
        tokens = self._tokens
        end = index + 1
        while tokens.texts[end] == "::" and tokens.kinds[end + 1] == SYMBOL:
            end += 2
        name = "::".join(symbol_name(tokens.texts[at]) for at in range(index, end, 2))
        key = frame.row.symbol if frame.row is not None else "callee"
        frame.attributes.setdefault(key, name if key == "sym_name" else SymbolReference(name))
        return end

    def _word(self, frame: OperationFrame, index: int, kind: int, opens: bool) -> int:
        """A keyword in front of an operand, `name = value`, or a word or number of the custom syntax."""
        tokens = self._tokens
        after = tokens.kinds[index + 1]
        if kind == WORD:
            if after == EQUAL:
                return self._assignment(frame, index)
            if after in (SSA, OPEN_PAREN, OPEN_SQUARE, BLOCK):
                self._keyword = tokens.texts[index]
                return index + 1
        if kind in _LITERALS and not (opens and frame.opened):
            self._literal_word(frame, index)
        return index + 1

    def _assignment(self, frame: OperationFrame, index: int) -> int:
        tokens = self._tokens
        if tokens.kinds[index + 2] in _LITERALS:
            frame.attributes.setdefault(tokens.texts[index], self._value(index + 2))
            return index + 3
        self._keyword = tokens.texts[index]
        return index + 2

    def _literal_word(self, frame: OperationFrame, index: int) -> None:
        tokens, row = self._tokens, frame.row
        text = tokens.texts[index]
        if row is None or frame.generic or row.literal:
            return
        if frame.words < len(row.words):
            name = row.words[frame.words]
            frame.words += 1
            frame.attributes[name] = normalised(frame.name, name, self._value(index))
        elif tokens.kinds[index] == WORD and text != "attributes":
            frame.attributes.setdefault(text, True)

    def _value(self, index: int) -> Attribute:
        text = self._tokens.texts[index]
        if self._tokens.kinds[index] == STRING:
            return unquoted(text)
        if self._tokens.kinds[index] == WORD and text not in ("true", "false"):
            return text
        return self._attributes.attribute(text, self._tokens.starts[index])
