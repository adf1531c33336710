"""A board: rows of coloured cells under labels, before it has a widget."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gluon_inspect.layouts.drawing.colours import Colour


class Colouring(StrEnum):
    """What the colour of a thread's cell tells."""

    WARP = "warp"
    LANE = "lane"
    REGISTER = "register"


class View(StrEnum):
    """Whose view a board is."""

    TENSOR = "tensor"
    HARDWARE = "hardware"
    MEMORY = "memory"
    """The first warp's addresses and sectors, for an access to global memory."""
    BANKS = "banks"
    """The first warp's lanes by bank and phase, for an access to shared memory."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `owner` is the same for cells that light up together; `hatched` marks a copy."""

    label: str
    colour: Colour | None
    readout: str
    owner: str
    hatched: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """Rows of cells under labels, and notes below."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


EMPTY = Board((), (), ())
