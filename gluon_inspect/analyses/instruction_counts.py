"""How many instructions of each kind and width the binary holds, in total and by Python line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from gluon_inspect.assembly.counts import kinds
from gluon_inspect.assembly.isa import InstructionKind
from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.asm import Assembly
from gluon_inspect.model.finding import AnalysisResult, Column, Metric, Rule, Scalar, Table
from gluon_inspect.model.location import Location

RULES: tuple[Rule, ...] = ()

_SHOWN = (
    InstructionKind.GLOBAL,
    InstructionKind.SHARED,
    InstructionKind.TENSOR,
    InstructionKind.LOCAL,
    InstructionKind.SCALAR,
    InstructionKind.MATRIX,
    InstructionKind.BARRIER,
    InstructionKind.SHUFFLE,
)
_NOTE = "As they stand in the binary: a loop's body counts once, an unrolled loop once for each copy."


def run(facts: Facts) -> AnalysisResult:
    """Two tables, of kinds and widths and of lines, and the total; nothing without assembly."""
    if facts.assembly is None or not facts.instructions_static:
        return AnalysisResult()
    kind = kinds(facts.assembly, facts.kernel.name)
    total = sum(facts.instructions_static.values())
    return AnalysisResult(
        tables=(_totals(facts, kind), _lines(facts, kind)),
        metrics=(Metric("instructions_static", f"Instructions ({_language(facts.assembly)})", total),),
    )


def _language(assembly: Assembly) -> str:
    return assembly.dialect.upper()


def _totals(facts: Facts, kind: Mapping[str, InstructionKind]) -> Table:
    """One row a counted name of the kinds worth telling apart, one row a kind for the rest."""
    counts = Counter[tuple[InstructionKind, str]]()
    executed = Counter[tuple[InstructionKind, str]]()
    for name, count in facts.instructions_static.items():
        row = _row(kind, name)
        counts[row] += count
        executed[row] += facts.instructions_executed.get(name, 0)
    order = list(InstructionKind)
    keys = sorted(counts, key=lambda key: (order.index(key[0]), -counts[key], key[1]))
    columns = (Column("kind"), Column("instruction"), Column("static", "right"))
    rows: tuple[tuple[Scalar, ...], ...] = tuple((key[0].value, key[1], counts[key]) for key in keys)
    if facts.instructions_executed:
        columns = (*columns, Column("executed", "right"))
        rows = tuple((*row, executed[key] or None) for row, key in zip(rows, keys, strict=True))
    return Table("instructions", "Instructions by kind and width", columns, rows, note=_NOTE)


def _row(kind: Mapping[str, InstructionKind], name: str) -> tuple[InstructionKind, str]:
    found = kind.get(name, InstructionKind.OPAQUE)
    return found, name if found in _SHOWN or found is InstructionKind.OPAQUE else ""


def _lines(facts: Facts, kind: Mapping[str, InstructionKind]) -> Table:
    """One row a line and counted name; lines that only compute are left out."""
    rows: list[tuple[Scalar, ...]] = []
    locations: list[Location | None] = []
    for line in facts.instructions_by_line:
        place = f"{line.location.file.rsplit('/', 1)[-1]}:{line.location.line}" if line.location else "no line"
        for name, count in _shown(line.counts, kind):
            rows.append((place, name, count))
            locations.append(line.location)
    columns = (Column("line"), Column("instruction"), Column("static", "right"))
    title = "Instructions by Python line"
    return Table("instructions_by_line", title, columns, tuple(rows), tuple(locations), _NOTE)


def _shown(counts: Mapping[str, int], kind: Mapping[str, InstructionKind]) -> Iterator[tuple[str, int]]:
    """The counted names of a line that are told apart, then all others as one."""
    shown = {name: count for name, count in counts.items() if kind.get(name) in _SHOWN}
    rest = sum(counts.values()) - sum(shown.values())
    yield from shown.items()
    if shown and rest:
        yield "others", rest
