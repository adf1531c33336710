"""MLIR text to tokens by one compiled expression; brackets are matched on the way.

What stands in `<…>` after a name, `loc(…)` and flat attribute dictionaries is one token each, since their
text is parsed only once however often it occurs. All quantifiers that could backtrack are possessive, and
nesting deeper than the expression knows is scanned by hand, so that time is linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from gluon_inspect.errors import ParseError
from gluon_inspect.source import SourceText

SSA: Final = 1
WORD: Final = 2
ANGLED: Final = 3
LOCATION: Final = 4
DICTIONARY: Final = 5
_PUNCTUATION: Final = 6
STRING: Final = 7
NUMBER: Final = 8
ALIAS: Final = 9
"""`#name`, `!name`, `#dialect.name`, `!dialect.name` without `<…>`."""
SYMBOL: Final = 10
ALIAS_DEFINITION: Final = 11
BLOCK: Final = 12
RESOURCE: Final = 13
_OPEN_ANGLE: Final = 14
_OPEN_LOCATION: Final = 15
COMMA: Final = 17
COLON: Final = 18
ARROW: Final = 19
EQUAL: Final = 20
OPEN_PAREN: Final = 21
OPEN_SQUARE: Final = 22
OPEN_BRACE: Final = 23
CLOSE_BRACE: Final = 24
CLOSE: Final = 25
"""`)` and `]`."""
OTHER: Final = 26
END: Final = 27

_KIND_OF: Final = {
    ",": COMMA,
    ":": COLON,
    "->": ARROW,
    "=": EQUAL,
    "(": OPEN_PAREN,
    "[": OPEN_SQUARE,
    "{": OPEN_BRACE,
    "}": CLOSE_BRACE,
    ")": CLOSE,
    "]": CLOSE,
}
_PARTNER = {")": "(", "]": "[", "}": "{"}

_PLAIN = r'[^<>"-]*+(?:(?:->?|[<>]=)[^<>"-]*+)*+'
_INNER = rf"{_PLAIN}(?:<{_PLAIN}(?:<{_PLAIN}(?:<{_PLAIN}>{_PLAIN})*+>{_PLAIN})*+>{_PLAIN})*+"
QUOTED = r'"(?:[^"\\\n]++|\\.)*+"'
_FLAT = rf'(?:[^()"]++|{QUOTED})*+'
_CALL = rf"{_FLAT}(?:\({_FLAT}(?:\({_FLAT}(?:\({_FLAT}\){_FLAT})*+\){_FLAT})*+\){_FLAT})*+"
_NAME = r"(?:\d++|[A-Za-z_$.-][\w$.-]*+)"

_MASTER = re.compile(
    r"\s*+(?:"
    rf"(%{_NAME}(?:\#\d+)?)"
    r"|(?!loc\()([A-Za-z_][\w$.]*+)(?!<)"
    rf"|((?:[!\#]?[A-Za-z_][\w$.]*+)?<{_INNER}>)"
    rf"|(loc\({_CALL}\))"
    rf'|(\{{\s*+(?:[A-Za-z_][\w$.]*+|"[^"\n]*+")\s*+=(?:[^{{}}"]++|{QUOTED})*+\}})'
    r"|(->|::|\.\.\.|\{(?!-\#)|[,:=()}\[\]*+?|/])"
    rf"|({QUOTED})"
    r"|(-?(?:0x[0-9a-fA-F]++|\d++(?:\.\d*+(?:[eE][-+]?\d++)?)?))"
    rf"|([!\#]{_NAME})(?!<|\s*+=)"
    rf"|(@(?:[A-Za-z_][\w$.-]*+|{QUOTED}))"
    rf"|([!\#]{_NAME}\s*+=)"
    rf"|(\^{_NAME})"
    r"|(\{-\#[\s\S]*?\#-\})"
    r"|((?:[!\#]?[A-Za-z_][\w$.]*+)?<)"
    r"|(loc\()"
    r"|([\s\S]))"
)
_ANGLES = re.compile(rf"->|[<>]=?|{QUOTED}")
_PARENS = re.compile(rf"[()]|{QUOTED}")
_COMMENT = re.compile(rf"{QUOTED}|//[^\n]*")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Parallel lists of kind, text and offset; `partner` maps an opening bracket's index to its closing one.

    The last token is END. `definitions` are the indices of `#name =` and `!name =`.
    """

    source: SourceText
    kinds: list[int] = field(default_factory=list[int])
    texts: list[str] = field(default_factory=list[str])
    starts: list[int] = field(default_factory=list[int])
    partner: dict[int, int] = field(default_factory=dict[int, int])
    definitions: list[int] = field(default_factory=list[int])

    def end(self, index: int) -> int:
        """The offset just past a token."""
        return self.starts[index] + len(self.texts[index])

    def slice(self, start: int, end: int) -> str:
        """The text from token `start` to just before token `end`, without the blanks around it."""
        return self.source.text[self.starts[start] : self.end(end - 1)] if end > start else ""

    def on_new_line(self, index: int) -> bool:
        """Whether a line ends between a token and the one before it."""
        return index == 0 or "\n" in self.source.text[self.end(index - 1) : self.starts[index]]

    def error(self, index: int, message: str, hint: str = "") -> ParseError:
        """A ParseError at a token."""
        return error(self.source, self.starts[index], message, hint)

    def error_at(self, offset: int, message: str, hint: str = "") -> ParseError:
        """A ParseError at a character offset."""
        return error(self.source, offset, message, hint)


def error(source: SourceText, offset: int, message: str, hint: str = "") -> ParseError:
    """A ParseError at a character offset, with its line and a caret."""
    return ParseError(message, position=source.position(offset), hint=hint, excerpt=source.excerpt(offset))


def tokenize(source: SourceText) -> Tokens:
    """All tokens of a text; comments are blanked. Raises ParseError on characters and brackets that cannot be."""
    text = source.text
    if "//" in text:
        text = _COMMENT.sub(_blank, text)
    tokens = Tokens(source)
    at, end = 0, len(text.rstrip())
    while at < end:
        at = _run(tokens, text, at, end)
    _finish(tokens, end)
    return tokens


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    return found if found[0] == '"' else " " * len(found)


def _run(tokens: Tokens, text: str, at: int, end: int) -> int:
    """Tokenise until the end or until past a token that had to be scanned by hand."""
    add_kind, add_text, add_start = tokens.kinds.append, tokens.texts.append, tokens.starts.append
    kind_of = _KIND_OF
    for match in _MASTER.finditer(text, at, end):
        kind = match.lastindex or 0
        start, found = match.start(kind), match[kind]
        if kind == _PUNCTUATION:
            kind = kind_of.get(found, OTHER)
        elif kind >= ALIAS_DEFINITION:
            if kind == ALIAS_DEFINITION:
                tokens.definitions.append(len(tokens.kinds))
            elif kind >= _OPEN_ANGLE:
                return _by_hand(tokens, text, kind, start)
        add_kind(kind)
        add_text(found)
        add_start(start)
    return end


def _by_hand(tokens: Tokens, text: str, kind: int, start: int) -> int:
    if kind == _OPEN_ANGLE:
        stop = _balanced(tokens.source, text, text.index("<", start), _ANGLES, "<", ">")
        kind = ANGLED
    elif kind == _OPEN_LOCATION:
        stop = _balanced(tokens.source, text, start + 3, _PARENS, "(", ")")
        kind = LOCATION
    else:
        raise _bad(tokens.source, text, start)
    tokens.kinds.append(kind)
    tokens.texts.append(text[start:stop])
    tokens.starts.append(start)
    return stop


def _balanced(source: SourceText, text: str, start: int, marks: re.Pattern[str], left: str, right: str) -> int:
    depth = 0
    for match in marks.finditer(text, start):
        found = match.group()
        if found == left:
            depth += 1
        elif found == right:
            depth -= 1
            if not depth:
                return match.end()
    raise error(source, start, f"'{left}' is never closed")


def _bad(source: SourceText, text: str, start: int) -> ParseError:
    character = text[start]
    if character == '"':
        return error(source, start, "string is never closed")
    if text.startswith("{-#", start):
        return error(source, start, "'{-#' is never closed")
    return error(source, start, f"unexpected character {character!r}", "is this MLIR text?")


def _finish(tokens: Tokens, end: int) -> None:
    """Pair the brackets and add the END token."""
    open_at: list[int] = []
    kinds, texts, partner = tokens.kinds, tokens.texts, tokens.partner
    for index, kind in enumerate(kinds):
        if OPEN_PAREN <= kind <= CLOSE:
            if kind <= OPEN_BRACE:
                open_at.append(index)
            elif not open_at:
                raise tokens.error(index, f"'{texts[index]}' closes nothing")
            elif texts[open_at[-1]] != _PARTNER[texts[index]]:
                raise tokens.error(index, f"'{texts[index]}' closes '{texts[open_at[-1]]}'")
            else:
                partner[open_at.pop()] = index
    if open_at:
        raise tokens.error(open_at[-1], f"'{texts[open_at[-1]]}' is never closed", "the text may be cut off")
    kinds.append(END)
    texts.append("")
    tokens.starts.append(end)
