"""`--space 'BLOCK_M=64,128 num_warps=4,8 num_stages=2:4'`: every combination is a configuration."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import product
from math import prod

from gluon_inspect.errors import UsageError

MOST_CONFIGURATIONS = 1024
_EXAMPLE = "for example --space 'BLOCK_M=64,128 num_warps=4,8 num_stages=2:4'"


def configurations(text: str) -> tuple[Mapping[str, str], ...]:
    """The combinations, the last name's values changing fastest; values as Python. None for an empty text.

    A value is a number, `first:last` for whole numbers, a quoted word, True, False or a layout's constructor.
    UsageError names what is wrong.
    """
    named = [_named(each) for each in _split(text, " ")]
    names = [name for name, _ in named]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UsageError(f"--space gives {twice} twice", hint="one list of values a name")
    count = prod(len(values) for _, values in named) if named else 0
    if count > MOST_CONFIGURATIONS:
        raise UsageError(f"--space has {count:,} configurations", hint=f"at most {MOST_CONFIGURATIONS:,}")
    return tuple(dict(zip(names, row, strict=True)) for row in product(*(values for _, values in named)) if names)


def _named(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not equals or not name.isidentifier() or not values:
        raise UsageError(f"--space: {text!r} is not NAME=VALUES", hint=_EXAMPLE)
    return name, list(dict.fromkeys(value for each in _split(values, ",") for value in _values(name, each)))


def _values(name: str, text: str) -> list[str]:
    first, colon, last = text.partition(":")
    if colon and first.isdecimal() and last.isdecimal():
        if int(first) > int(last) or int(last) - int(first) >= MOST_CONFIGURATIONS:
            raise UsageError(f"--space: {name}={text} is no range", hint="first:last, both included")
        return [str(value) for value in range(int(first), int(last) + 1)]
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        node = None
    match node:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()) | ast.Call(func=ast.Name()):
            return [text]
        case ast.Name(id=word):
            raise UsageError(f"--space: {name}={word} is a name", hint=f'a word is quoted: {name}="{word}"')
        case _:
            raise UsageError(f"--space: {name}={text!r} is no value", hint=_EXAMPLE)


def _split(text: str, separator: str) -> list[str]:
    """Parts between separators that stand in no brackets and no quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        quote = "" if character == quote else quote or (character if character in "\"'" else "")
        depth += 0 if quote else (character in "([{") - (character in ")]}")
        if character == separator and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
