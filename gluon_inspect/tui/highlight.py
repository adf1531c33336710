"""Colours of code, one line at a time: only what is on the screen is ever looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from gluon_inspect.listings.document import Document, Language

_MAX_CHARACTERS = 4096
"""Of a line: constants can be megabytes long, and nobody reads their colours."""


class Token(StrEnum):
    """What a piece of code is; the names are those of the style classes."""

    KEYWORD = "keyword"
    STRING = "string"
    COMMENT = "comment"
    NUMBER = "number"
    DEFINITION = "definition"
    TYPE = "type"
    LAYOUT = "layout"
    OPERATION = "operation"
    VALUE = "value"
    MUTED = "muted"
    ADDED = "added"
    REMOVED = "removed"
    HEADING = "heading"
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Paint(NamedTuple):
    """A coloured range of characters of a line, half-open."""

    start: int
    end: int
    token: Token


Painter = Callable[[int], tuple[Paint, ...]]
"""The colours of a line by its index: ranges in order, none overlapping."""

_MLIR = re.compile(
    r"(?P<comment>//.*$)|(?P<string>\"[^\"]*\")|(?P<value>%[\w$.#-]+)|(?P<definition>@[\w$.]+|\^bb\d+)"
    r"|(?P<layout>#[A-Za-z_][\w.]*|\b\w+Layout\b|\b(?:blocked|slice|linear|dot_op|nvidia_mma|nvmma_shared)\()"
    r"|(?P<type>!?\btensor\b|!?\btt(?:g|ng)?\.\w+<|!\w[\w.]*|\bmemdesc\b|\b[isu]\d+\b|\bb?f\d+\w*\b|\bindex\b)"
    r"|(?P<operation>\b(?:tt|ttg|ttng|amdg|amdgpu|gluon|arith|math|scf|cf|ub|gpu|llvm|nvvm|rocdl|proton)\.\w[\w.]*)"
    r"|(?P<keyword>\b(?:module|attributes|loc|true|false|dense|unknown|else|to|step|iter_args)\b)"
    r"|(?P<number>(?<![\w.])-?\d[\w.+-]*)"
)
_SASS = re.compile(
    r"(?P<muted>^(?:[0-9a-f]{4,}\b)?\s+[0-9a-f-]{2}:[0-9-]:[0-9-]:[Y-]:[0-9a-f-]|^[0-9a-f]{4,}\b)|(?P<definition>^[\w.$]+:)"
    r"|(?P<keyword>@!?U?PT?\d*)|(?P<value>\b(?:U?R\d+|R?Z|URZ|U?P\d|U?PT|SR_[\w.]+)\b)"
    r"|(?P<type>\bc\[0x[0-9a-f]+\]\[0x[0-9a-f]+\])|(?P<number>-?\b0x[0-9a-f]+\b|(?<![\w.])-?\d+\b)"
    r"|(?P<operation>(?<=\s)[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*(?=\s|$))"
)
_PTX = re.compile(
    r"(?P<comment>//.*$)|(?P<string>\"[^\"]*\")|(?P<definition>^\$?[\w$]+:)|(?P<keyword>@!?%\w+|^\s*\.\w+)"
    r"|(?P<value>%\w+(?:\.\w+)?)|(?P<number>(?<![\w.])-?(?:0[xfd][0-9A-Fa-f]+|\d+)\b)"
    r"|(?P<operation>^\s*[a-z]\w*(?:[.:]+\w+)*|(?<=\{ )[a-z]\w*(?:\.\w+)+)"
)
_AMDGCN = re.compile(
    r"(?P<comment>[;/]{1,2}.*$)|(?P<muted>^[0-9a-f]{4,}\b)|(?P<definition>^[\w.$]+:)"
    r"|(?P<value>\b[vsa](?:\d+\b|\[\d+:\d+\])|\b(?:vcc|exec|scc|m0)(?:_lo|_hi)?\b)"
    r"|(?P<operation>\b(?:[vs]_|ds_|global_|buffer_|flat_|scratch_|tensor_)\w+)"
    r"|(?P<keyword>\b(?:offset|offen|idxen|lds|sc\d|nt|off|vmcnt|lgkmcnt|vscnt|op_sel\w*)\b)"
    r"|(?P<number>(?<![\w.])-?(?:0x[0-9a-f]+|\d[\d.]*)\b)"
)
_LLVM = re.compile(
    r"(?P<comment>;.*$)|(?P<string>\"[^\"]*\")|(?P<value>%[\w.$-]+)|(?P<definition>@[\w.$]+)|(?P<muted>![\w.]+)"
    r"|(?P<type>\b(?:i\d+|float|half|bfloat|double|ptr|void)\b)|(?P<number>(?<![\w.])-?\d[\w.+]*)"
    r"|(?P<keyword>\b(?:define|declare|attributes|to|tail|call|br|label|ret|asm|sideeffect)\b)"
)
_RULES = {
    Language.MLIR: _MLIR,
    Language.SASS: _SASS,
    Language.PTX: _PTX,
    Language.AMDGCN: _AMDGCN,
    Language.LLVM: _LLVM,
}
_DIFF = {"+": Token.ADDED, "-": Token.REMOVED, "@": Token.HEADING}


def painter(document: Document) -> Painter:
    """How the lines of a document are coloured."""
    match document.language:
        case Language.PYTHON:
            return _python(document)
        case Language.DIFF:
            return lambda line: _diff(document.lines[line])
        case Language.PLAIN:
            return lambda _: ()
        case language:
            return _by_rules(_RULES[language], document.lines)


def _by_rules(rules: re.Pattern[str], lines: tuple[str, ...]) -> Painter:
    @lru_cache(2048)
    def paint(line: int) -> tuple[Paint, ...]:
        return tuple(_matches(rules, lines[line]))

    return paint


def _matches(rules: re.Pattern[str], line: str) -> Iterator[Paint]:
    for match in rules.finditer(line, 0, _MAX_CHARACTERS):
        if match.lastgroup and match.end() > match.start():
            yield Paint(match.start(), match.end(), Token(match.lastgroup))


def _diff(line: str) -> tuple[Paint, ...]:
    token = _DIFF.get(line[:1])
    return (Paint(0, len(line), token),) if token else ()


def _python(document: Document) -> Painter:
    """Lexed at the first look as a whole: a string can span lines."""

    @lru_cache(1)
    def lines() -> tuple[tuple[Paint, ...], ...]:
        return _lexed("\n".join(document.lines))

    return lambda line: lines()[line] if line < len(lines()) else ()


def _lexed(text: str) -> tuple[tuple[Paint, ...], ...]:
    lexer: Any = import_module("pygments.lexers.python").PythonLexer(stripnl=False, ensurenl=False)
    lines: list[list[Paint]] = [[]]
    column = 0
    for kind, value in lexer.get_tokens(text):
        token = _python_token(str(kind))
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
                column = 0
            if token and piece.strip():
                lines[-1].append(Paint(column, column + len(piece), token))
            column += len(piece)
    return tuple(map(tuple, lines))


_PYTHON = (
    ("Token.Comment", Token.COMMENT),
    ("Token.Literal.String", Token.STRING),
    ("Token.Literal.Number", Token.NUMBER),
    ("Token.Keyword", Token.KEYWORD),
    ("Token.Operator.Word", Token.KEYWORD),
    ("Token.Name.Function", Token.DEFINITION),
    ("Token.Name.Class", Token.DEFINITION),
    ("Token.Name.Decorator", Token.LAYOUT),
    ("Token.Name.Builtin", Token.TYPE),
)


def _python_token(kind: str) -> Token | None:
    return next((token for prefix, token in _PYTHON if kind.startswith(prefix)), None)
