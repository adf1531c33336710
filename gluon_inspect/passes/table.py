"""The timeline as a table: one row a pass, those that changed nothing folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gluon_inspect.model.dump import Level
from gluon_inspect.model.finding import Column, Scalar, Table
from gluon_inspect.passes.states import PassRun
from gluon_inspect.passes.timeline import Row, Timeline
from gluon_inspect.wording.characters import shortened

_COLUMNS = (
    Column("#", "right"),
    Column("pass"),
    Column("operations", "right"),
    Column("conversions"),
    Column("accesses, bits a lane"),
    Column("shared", "right", "B"),
)
_OPTIONS = Column("options")
_SCOPE_CHARACTERS = 24
_SAME = "same"
_SHORT = {
    "tt.load": "load",
    "tt.store": "store",
    "ttg.async_copy_global_to_local": "async copy",
    "amdg.buffer_load": "buffer load",
    "amdg.buffer_store": "buffer store",
    "amdg.buffer_load_to_local": "buffer copy",
    "tt.atomic_rmw": "atomic",
    "tt.atomic_cas": "atomic cas",
}


def table(timeline: Timeline, *, everything: bool = False) -> Table:
    """The timeline; `everything` also lists options, unchanged passes and those that other passes ran."""
    rows = timeline.rows(everything=everything)
    if not everything:
        return Table("passes", "", _COLUMNS, tuple(_sparse(_changed(rows))), note=_note(rows))
    cells = tuple((*cells, row.run.options) for row, cells in zip(rows, _all(rows), strict=True))
    return Table("passes", "", (*_COLUMNS, _OPTIONS), cells, note=_note(rows))


def _all(rows: Sequence[Row]) -> Iterator[tuple[Scalar, ...]]:
    for row in rows:
        yield _idle([row]) if row.changed is False else _cells(row)


def _changed(rows: Sequence[Row]) -> Iterator[tuple[Scalar, ...]]:
    idle: list[Row] = []
    for row in rows:
        if row.changed is False:
            idle.append(row)
            continue
        if idle:
            yield _idle(idle)
        idle = []
        yield _cells(row)
    if idle:
        yield _idle(idle)


def _sparse(rows: Iterator[tuple[Scalar, ...]]) -> Iterator[tuple[Scalar, ...]]:
    """Conversions and accesses are written once, and then only when a pass changes them."""
    last: tuple[Scalar, ...] = ()
    for number, title, operations, *texts, shared in rows:
        same = last and operations is not None and any(last)
        shown = [
            _SAME if same and text == old and text else text
            for text, old in zip(texts, last or texts, strict=True)
        ]
        last = tuple(texts) if operations is not None else last
        yield (number, title, operations, *shown, shared)


def _idle(rows: Sequence[Row]) -> tuple[Scalar, ...]:
    first, last = rows[0].run, rows[-1].run
    numbers = str(first.index) if first is last else f"{first.index}-{last.index}"
    what = _title(first) if first is last else f"{len(rows)} passes"
    return (numbers, f"{what}: no change", None, "", "", None)


def _cells(row: Row) -> tuple[Scalar, ...]:
    run, after = row.run, row.after
    return (
        str(run.index),
        _title(run) + _state(row),
        after.total if after.operations else None,
        _pairs(after.conversions),
        _pairs({_short(name): count for name, count in after.widths.items()}),
        after.shared_bytes,
    )


def _title(run: PassRun) -> str:
    """The pass; which one ran it, and on what."""
    scope = f" on {shortened(run.scope, _SCOPE_CHARACTERS)}" if run.scope else ""
    return f"{run.within + ' > ' if run.within else ''}{run.name}{scope}"


def _state(row: Row) -> str:
    if row.run.failed:
        return ": failed"
    if row.changed is None:
        after = row.run.after
        return ": result not printed" if after is None else "" if after.is_whole else ": result cut off"
    is_llvm = row.run.after is not None and row.run.after.is_llvm_ir
    lowered = row.run.before is not None and row.run.before.level < Level.LLVM
    return ": now LLVM IR" if is_llvm else ": now LLVM" if lowered and _is_lowered(row) else ""


def _is_lowered(row: Row) -> bool:
    return row.run.after is not None and row.run.after.level is Level.LLVM


def _short(width: str) -> str:
    name, _, bits = width.rpartition(" ")
    return f"{_SHORT.get(name, name.rpartition('.')[2])} {bits}"


def _pairs(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} x{count}" for name, count in sorted(counts.items()))


def _note(rows: Sequence[Row]) -> str:
    """What could not be read, each reason once with the passes it is about."""
    numbers: dict[str, list[str]] = {}
    for row in rows:
        if row.run.after is not None and row.after.problem:
            numbers.setdefault(row.after.problem.split("\n", 1)[0], []).append(str(row.run.index))
    return "; ".join(f"after {', '.join(of)}: {problem}" for problem, of in numbers.items())
