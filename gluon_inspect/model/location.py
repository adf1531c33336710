"""Where in the author's Python something comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace

_LIBRARY = ("/triton/language/", "/triton/experimental/", "/triton/tools/")
"""Helpers of Triton itself, such as tl.sum and those of its translator: nobody wants to read about their lines."""


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

    @property
    def author(self) -> Location:
        """The author's place, with its callers: the innermost outside Triton's library, or itself."""
        for depth, place in enumerate(self.chain):
            if not any(folder in place.file for folder in _LIBRARY):
                return self if depth == 0 else replace(place, callers=self.callers[depth:])
        return self

    @property
    def library(self) -> tuple[Location, ...]:
        """The places in Triton's library that the author's one was inlined from, innermost first."""
        inner = self.chain[: len(self.chain) - len(self.author.chain)]
        return tuple(replace(place, callers=()) for place in inner)


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A line of a compiled text: its stage ("ttgir", "sass", "amdgcn", "ptx"), 1-based line and the text there."""

    stage: str
    line: int
    text: str
