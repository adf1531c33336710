"""Where in the author's Python something comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """A resolved location: file, 1-based line and column (0 where unknown), and who called it.

    `callers` is the chain of call sites through inlined helpers, innermost first.
    `name` is the Python variable that the compiler attached, or empty.
    """

    file: str
    line: int
    column: int = 0
    name: str = ""
    callers: tuple[Location, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"

    @property
    def chain(self) -> tuple[Location, ...]:
        """This place and its callers, innermost first."""
        return (self, *self.callers)


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A line of a compiled text: its stage ("ttgir", "sass", "amdgcn", "ptx"), 1-based line and the text there."""

    stage: str
    line: int
    text: str
