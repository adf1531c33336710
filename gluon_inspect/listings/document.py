"""Texts as the panes show them: lines, and where in the author's Python each line comes from. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from gluon_inspect.model.cost import Stall
from gluon_inspect.model.location import Location
from gluon_inspect.wording.characters import visible

_TAB_CELLS = 4


class Language(StrEnum):
    """What a text is written in, for its colours."""

    PYTHON = "python"
    MLIR = "mlir"
    SASS = "sass"
    PTX = "ptx"
    AMDGCN = "amdgcn"
    LLVM = "llvm"
    DIFF = "diff"
    PLAIN = "plain"


class Place(NamedTuple):
    """A place in the author's Python; line and column are 1-based, column 0 where unknown."""

    file: str
    line: int
    column: int = 0


Chain = tuple[Place, ...]
"""A place and the call sites it was inlined through, innermost first."""


class Heat(NamedTuple):
    """A line's share of the launch's expected time (0 to 1), and what most of it is waited for."""

    share: float
    stall: Stall | None


@dataclass(frozen=True, slots=True)
class Document:
    """A text of one pane.

    `chains` maps a line's index to the places it comes from. `ranks`: how much of its place's work a line does, 0
    where it only prepares or follows. `instructions`: which instruction of the kernel's function a line is.
    `heat`: the line's share of the expected time. `empty` says why there are no lines.
    """

    name: str
    language: Language
    lines: tuple[str, ...] = ()
    chains: Mapping[int, tuple[Chain, ...]] = field(default_factory=dict[int, tuple[Chain, ...]])
    ranks: Mapping[int, int] = field(default_factory=dict[int, int])
    instructions: Mapping[int, int] = field(default_factory=dict[int, int])
    heat: Mapping[int, Heat] = field(default_factory=dict[int, Heat])
    empty: str = ""


def chain_of(location: Location | None) -> Chain:
    """A location as a chain of places; empty where there is none."""
    if location is None:
        return ()
    return tuple(Place(each.file, each.line, each.column) for each in location.chain if each.line)


def shown_lines(text: str) -> tuple[str, ...]:
    """The lines of a text, tabs as spaces, control characters as their escapes."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return tuple(line if line.isprintable() else visible(line.expandtabs(_TAB_CELLS)) for line in lines)
