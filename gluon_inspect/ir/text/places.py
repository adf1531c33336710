"""A location as written, before its aliases are looked up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """One form of `loc(…)`: `kind` is "file", "name", "call", "fused", "alias" or "unknown".

    `text` is the file, the name or the alias; `parts` are the places inside, callee before caller.
    """

    kind: str
    text: str = ""
    line: int = 0
    column: int = 0
    parts: tuple[Place, ...] = ()
