"""The programs of a grid, batch after batch: which ones run, and how a batch that is too large is undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gluon_inspect.evaluate.programs import MAX_INSTANCES, Evaluation
from gluon_inspect.evaluate.values import AnyValue, Ints, Scalar, TooLargeError
from gluon_inspect.model.mlir import Operation

_BATCH = 1 << 16
_RUN = 1 << 10
"""Neighbouring programs in each piece of a sample."""

Grid = tuple[int, int, int]


def chosen_programs(total: int, limit: int | None) -> Ints:
    """All programs, or runs of neighbours spread evenly over the launch, the first and the last included.

    Tails and edges are what differs, and neighbours show what programs share.
    """
    if limit is None or total <= limit:
        return np.arange(total)
    run = min(_RUN, max(1, limit // 2))
    starts = np.linspace(0, total - run, max(1, limit // run)).astype(np.int64)
    return (starts[:, None] + np.arange(run)).reshape(-1)


@dataclass(frozen=True, slots=True)
class Batches:
    """Runs programs of a grid. `counted`: the dataclasses, besides the evaluation, that listeners write to."""

    grid: Grid
    evaluation: Evaluation
    function: Operation
    arguments: list[AnyValue]
    counted: Sequence[Any] = ()

    def execute(self, chosen: Ints) -> bool:
        """Run the chosen programs; False where a single one is too large.

        A batch that needs too much memory is undone and cut.
        """
        at, size = 0, min(_BATCH, MAX_INSTANCES)
        while at < len(chosen):
            batch = chosen[at : at + size]
            undo = [undoing(state) for state in (self.evaluation, *self.counted)]
            try:
                self.evaluation.run(self.function, self.arguments, _program_ids(self.grid, batch), len(batch))
            except TooLargeError:
                for back in undo:
                    back()
                if len(batch) == 1:
                    return False
                size = max(1, size // 8)
                continue
            at += len(batch)
        return True


def undoing(state: Any) -> Callable[[], None]:
    """What brings every field of a mutable dataclass back to where it is now, lists and dictionaries included.

    Dataclasses within it are values of their own: name them beside it.
    """
    before = {each.name: copy(getattr(state, each.name)) for each in fields(state)}

    def undo() -> None:
        for name, value in before.items():
            setattr(state, name, value)

    return undo


def _program_ids(grid: Grid, chosen: Ints) -> dict[str, Scalar]:
    x, y, _ = grid
    ids: dict[str, Scalar] = {"pid0": chosen % x, "pid1": chosen // x % y, "pid2": chosen // (x * y)}
    return ids | {f"grid{axis}": size for axis, size in enumerate(grid)}
