"""The timeline as a table: one row a pass, those that changed nothing folded."""

from collections.abc import Iterator, Mapping, Sequence

from gluon_inspect.ir.operations import amdg, tt, ttg
from gluon_inspect.model.dump import Level
from gluon_inspect.model.finding import Column, Scalar, Table
from gluon_inspect.passes.states import PassRun
from gluon_inspect.passes.timeline import Row, Timeline
from gluon_inspect.wording.characters import shortened

_COLUMNS = (
    Column("#", "right"),
    Column("pass"),
    Column("operations", "right"),
    Column("shared", "right", "B"),
    Column("conversions; accesses and their bits a lane"),
)
_OPTION_COLUMNS = (Column("#", "right"), Column("pass"), Column("options"))
_SCOPE_CHARACTERS = 24
_SHORT = {
    tt.LOAD.name: "load",
    tt.STORE.name: "store",
    ttg.ASYNC_COPY_GLOBAL_TO_LOCAL.name: "async copy",
    amdg.BUFFER_LOAD.name: "buffer load",
    amdg.BUFFER_STORE.name: "buffer store",
    amdg.BUFFER_LOAD_TO_LOCAL.name: "buffer copy",
    tt.ATOMIC_RMW.name: "atomic",
    tt.ATOMIC_CAS.name: "atomic cas",
}


def table(timeline: Timeline, *, everything: bool = False) -> Table:
    """The timeline; `everything` also lists unchanged passes and those that other passes ran."""
    rows = timeline.rows(everything=everything)
    cells = _all(rows) if everything else _changed(rows)
    return Table("passes", "", _COLUMNS, tuple(_sparse(cells)), note=_note(rows))


def options_table(timeline: Timeline) -> Table | None:
    """The options of every pass that was given some; None if none was."""
    rows = tuple((str(run.index), run.name, run.options) for run in timeline.compilation.runs if run.options)
    return Table("options", "Options", _OPTION_COLUMNS, rows) if rows else None


def _all(rows: Sequence[Row]) -> Iterator[tuple[Scalar, ...]]:
    for row in rows:
        yield _idle([row]) if _is_idle(row) else _cells(row)


def _is_idle(row: Row) -> bool:
    return row.changed is False and not row.run.failed


def _changed(rows: Sequence[Row]) -> Iterator[tuple[Scalar, ...]]:
    idle: list[Row] = []
    for row in rows:
        if _is_idle(row):
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
    last: Scalar = ""
    for *numbers, operations, shared, what in rows:
        yield (*numbers, operations, shared, "same" if what and what == last else what)
        last = what if operations is not None else last


def _idle(rows: Sequence[Row]) -> tuple[Scalar, ...]:
    first, last = rows[0].run, rows[-1].run
    numbers = str(first.index) if first is last else f"{first.index}-{last.index}"
    return (numbers, _title(first) if first is last else f"{len(rows)} passes", None, None, "no change")


def _cells(row: Row) -> tuple[Scalar, ...]:
    run, after = row.run, row.after
    accesses = {_short(name): count for name, count in after.widths.items()}
    parts = (_state(row), _pairs(after.conversions), _pairs(accesses))
    what = "; ".join(part for part in parts if part)
    return (str(run.index), _title(run), after.total if after.operations else None, after.shared_bytes, what)


def _title(run: PassRun) -> str:
    """The pass; which one ran it, and on what."""
    scope = f" on {shortened(run.scope, _SCOPE_CHARACTERS)}" if run.scope else ""
    within = f"{run.within.removesuffix('Pass')} > " if run.within else ""
    return f"{within}{run.name.removesuffix('Pass')}{scope}"


def _state(row: Row) -> str:
    if row.run.failed:
        return "failed"
    if row.changed is None:
        after = row.run.after
        return "result not printed" if after is None else "" if after.is_whole else "result cut off"
    is_llvm = row.run.after is not None and row.run.after.is_llvm_ir
    lowered = row.run.before is not None and row.run.before.level < Level.LLVM
    return "now LLVM IR" if is_llvm else "now LLVM" if lowered and _is_lowered(row) else ""


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
