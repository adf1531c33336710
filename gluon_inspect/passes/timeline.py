"""One row a pass: whether it changed anything, and what it did to operations, layouts and widths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gluon_inspect.model.dump import Level
from gluon_inspect.model.finding import Column, Scalar, Table
from gluon_inspect.model.report import PassEntry
from gluon_inspect.model.target import Target
from gluon_inspect.passes.contents import Contents, contents_of
from gluon_inspect.passes.normalised import fingerprint
from gluon_inspect.passes.states import Compilation, PassRun, State


@dataclass(frozen=True, slots=True)
class Row:
    """A pass and the state it left. `changed` None: the state after it was not printed."""

    run: PassRun
    changed: bool | None
    before: Contents
    after: Contents


class Timeline:
    """The passes of one compilation; each distinct state is hashed and read once."""

    def __init__(self, compilation: Compilation, target: Target) -> None:
        self.compilation, self._target = compilation, target
        self._prints: dict[int, bytes] = {}
        self._contents: dict[bytes, Contents] = {}

    def changed(self, run: PassRun) -> bool | None:
        """Whether a pass changed more than names; None where a state is missing."""
        if run.before is None or run.after is None:
            return None
        if run.before.level is not run.after.level:
            return True
        return self.print_of(run.before) != self.print_of(run.after)

    def print_of(self, state: State) -> bytes:
        """The fingerprint of a state."""
        if id(state) not in self._prints:
            self._prints[id(state)] = fingerprint(state)
        return self._prints[id(state)]

    def contents(self, state: State | None) -> Contents:
        """What a state holds; empty for one that was not printed."""
        if state is None:
            return Contents(problem="not printed")
        key = self.print_of(state)
        if key not in self._contents:
            self._contents[key] = contents_of(state, self._target)
        return self._contents[key]

    def rows(self) -> tuple[Row, ...]:
        """Every pass, in order."""
        return tuple(
            Row(run, self.changed(run), self.contents(run.before), self.contents(run.after))
            for run in self.compilation.runs
        )

    def entries(self) -> tuple[PassEntry, ...]:
        """The short list that a report carries; states are hashed, not parsed."""
        return tuple(PassEntry(run.index, run.name, self.changed(run)) for run in self.compilation.runs)


_COLUMNS = (
    Column("#", "right"),
    Column("pass"),
    Column("operations", "right"),
    Column("conversions"),
    Column("accesses, bits a lane"),
    Column("shared", "right", "B"),
)


def table(timeline: Timeline, *, everything: bool = False) -> Table:
    """The timeline as a table; passes that changed nothing are folded into one row unless `everything`."""
    rows: list[tuple[Scalar, ...]] = []
    idle: list[Row] = []
    for row in timeline.rows():
        if row.changed is False and not everything:
            idle.append(row)
            continue
        if idle:
            rows.append(_folded(idle))
            idle = []
        rows.append(_cells(row))
    if idle:
        rows.append(_folded(idle))
    kernel = timeline.compilation.kernel or "kernel"
    return Table("passes", f"Passes of {kernel}", _COLUMNS, tuple(rows), note=_note(timeline))


def _folded(rows: list[Row]) -> tuple[Scalar, ...]:
    first, last = rows[0].run.index, rows[-1].run.index
    numbers = str(first) if first == last else f"{first}-{last}"
    what = rows[0].run.name if len(rows) == 1 else f"{len(rows)} passes"
    return (numbers, f"{what}: no change", None, "", "", None)


def _cells(row: Row) -> tuple[Scalar, ...]:
    run, after = row.run, row.after
    scope = f" on {run.scope}" if run.scope and run.before and run.before.level is Level.LLVM else ""
    state = " (failed)" if run.failed else " (not known)" if row.changed is None else ""
    return (
        str(run.index),
        f"{run.name}{scope}{state}",
        None if run.after is None else after.total,
        _pairs(after.conversions),
        _pairs(after.widths),
        after.shared_bytes,
    )


def _pairs(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} x{count}" for name, count in sorted(counts.items()))


def _note(timeline: Timeline) -> str:
    problems = {row.after.problem for row in timeline.rows() if row.run.after is not None and row.after.problem}
    notes = [timeline.compilation.error, *sorted(problems)]
    return "; ".join(note for note in notes if note)
