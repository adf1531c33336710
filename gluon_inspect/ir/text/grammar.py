"""The lark parser of types.lark, built once, and what it gave for each text."""

from __future__ import annotations

import re
import threading
from functools import cache
from pathlib import Path
from typing import cast

from lark import Lark, v_args  # pyright: ignore[reportUnknownVariableType]
from lark.exceptions import UnexpectedInput, VisitError

from gluon_inspect.ir.text.builder import Builder, scalar_type
from gluon_inspect.ir.text.literals import number
from gluon_inspect.model.types import Type

MAX_DEPTH = 64
"""Brackets inside brackets in one type, attribute or location; real ones stay below ten."""

_MAX_CACHED = 50_000
_SCALAR = re.compile(r"(?:[su]?i\d{1,5}|bf16|tf32|f\d{1,3}[A-Za-z0-9]*|index|none)\Z")
_INTEGER = re.compile(r"(-?\d+)(?: : ([su]?i\d{1,5}|index))?\Z")
"""The commonest attribute, read without lark."""

_BRACKET = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|->|[<>]=|[<>()\[\]{}]')
_PARTNER = {">": "<", ")": "(", "]": "[", "}": "{"}
_lock = threading.Lock()


class Unreadable:
    """Stands in the cache for text that the grammar does not cover."""

    __slots__ = ()


UNREADABLE = Unreadable()
_known: dict[tuple[str, str], object] = {}


@cache
def _parser() -> tuple[Lark, Builder]:
    inlined = cast(type[Builder], v_args(inline=True)(Builder))
    builder = inlined()
    grammar = Path(__file__).with_name("types.lark").read_text(encoding="utf-8")
    starts = ["type", "attribute", "location"]
    return Lark(grammar, parser="lalr", start=starts, transformer=builder), builder


def read(start: str, text: str) -> object:
    """What `text` is by rule `start` ("type", "attribute", "location"); UNREADABLE where it is not covered.

    Brackets without a partner or nested beyond MAX_DEPTH are unreadable too.
    """
    key = (start, text)
    if key in _known:
        return _known[key]
    if len(_known) > _MAX_CACHED:
        _known.clear()
    value = _known[key] = _read(start, text)
    return value


def forget() -> None:
    """Forget every text read so far (for measurements)."""
    _known.clear()


def _read(start: str, text: str) -> object:
    if start == "type" and _SCALAR.match(text):
        return scalar_type(text)
    if start == "attribute" and (match := _INTEGER.match(text)):
        return number(match[1], scalar_type(match[2]) if match[2] else None)
    if bracket_error(text):
        return UNREADABLE
    with _lock:
        lark, builder = _parser()
        builder.text = text
        try:
            return cast(object, lark.parse(text, start=start))  # pyright: ignore[reportUnknownMemberType]
        except (UnexpectedInput, VisitError, ValueError, OverflowError):
            return UNREADABLE


def bracket_error(text: str) -> tuple[int, str] | None:
    """The offset of the first bracket that is wrong, and why; None where all have a partner and nest sanely."""
    open_at: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(text):
        mark = match.group()
        if mark in "<([{":
            open_at.append((mark, match.start()))
            if len(open_at) > MAX_DEPTH:
                return match.start(), f"brackets are nested more than {MAX_DEPTH} deep"
        elif mark in _PARTNER and (not open_at or open_at.pop()[0] != _PARTNER[mark]):
            return match.start(), f"'{mark}' has no partner"
    return (open_at[-1][1], f"'{open_at[-1][0]}' is never closed") if open_at else None


def builtin_type(name: str) -> Type:
    """The type of this text, which must be one the grammar knows."""
    return cast(Type, read("type", name))
