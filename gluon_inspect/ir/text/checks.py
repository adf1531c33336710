"""What can be told to be wrong without knowing the operations: brackets inside tokens, aliases nobody defined."""

from __future__ import annotations

import re
from typing import Final

from gluon_inspect.ir.text.grammar import bracket_error
from gluon_inspect.ir.text.tokenizer import ALIAS, ANGLED, DICTIONARY, LOCATION, QUOTED, Tokens

REFERENCE: Final = re.compile(rf"{QUOTED}|([!#](?:\d++|[A-Za-z_$-][\w$-]*+(?![.<])))")
"""An alias, or a string, which holds none."""

_FOREIGN: Final = re.compile(rf"{QUOTED}|([^\x21-\x7e\s]|[\\`~;&'\"]|[#!%^@](?![\w$.\"-]))")
"""A character that begins no token, or a string."""

_CHECKED: Final = frozenset({ANGLED, ALIAS, DICTIONARY, LOCATION})


def check(tokens: Tokens, aliases: dict[str, tuple[str, int]]) -> None:
    """Look once at each distinct text. Raises ParseError.

    Only locations may use an alias before its definition, as MLIR has it.
    """
    seen: set[str] = set()
    for index, kind in enumerate(tokens.kinds):
        if kind in _CHECKED and tokens.texts[index] not in seen:
            seen.add(tokens.texts[index])
            _check_token(tokens, index, aliases)


def _check_token(tokens: Tokens, index: int, aliases: dict[str, tuple[str, int]]) -> None:
    text, offset = tokens.texts[index], tokens.starts[index]
    wrong = bracket_error(text) if tokens.kinds[index] != ALIAS else None
    if wrong:
        raise tokens.error_at(offset + wrong[0], wrong[1])
    for match in _FOREIGN.finditer(text):
        if match[1]:
            raise tokens.error_at(offset + match.start(1), f"unexpected character {match[1]!r}")
    for match in REFERENCE.finditer(text):
        name = match[1]
        if name is None:
            continue
        if name not in aliases:
            raise tokens.error_at(offset + match.start(1), f"undefined alias {name}")
        if aliases[name][1] > offset and tokens.kinds[index] != LOCATION:
            raise tokens.error_at(offset + match.start(1), f"alias {name} is used before its definition")
