"""Loops of a kernel as they run in one launch: the trips that the evaluator counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gluon_inspect.model.location import Location


class Moves(StrEnum):
    """What an operation moves, as far as its instructions can be told from all others in the assembly."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    COPY = "asynchronous copy"
    BULK = "bulk copy"
    MATRIX = "matrix"


@dataclass(frozen=True, slots=True)
class LoopRun:
    """One loop of the IR.

    `trips`: mean trips of each entry, None where unknown; `longest`: the most that a program makes. `moves`: how
    many instructions (of matrix products: operations) one trip needs, without those of inner loops.
    """

    location: Location | None
    trips: float | None
    longest: int | None
    moves: Mapping[Moves, int] = field(default_factory=dict[Moves, int])
    inner: tuple[LoopRun, ...] = ()
