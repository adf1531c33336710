"""Kernels that a Python text defines, found without running or parsing it."""

from __future__ import annotations

import re

_DECORATED = re.compile(r"^[ \t]*@(?:\w+\.)*jit\b")
_FUNCTION = re.compile(r"^[ \t]*def[ \t]+(\w+)")
_MOST_DECORATORS = 12
"""Lines between `@jit` and its `def`, other decorators with their arguments among them."""


def kernel_lines(text: str) -> dict[str, int]:
    """Kernels by name, with the 0-based line of their `def`; half-typed text is no hindrance."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: dict[str, int] = {}
    for at, line in enumerate(lines):
        if _DECORATED.match(line):
            for below in range(at + 1, min(at + _MOST_DECORATORS, len(lines))):
                if made := _FUNCTION.match(lines[below]):
                    found.setdefault(made[1], below)
                    break
    return found
