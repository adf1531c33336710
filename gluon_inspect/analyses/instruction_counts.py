"""How many instructions of each kind and width the binary holds, in total and by Python line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gluon_inspect.cost.instructions import kinds
from gluon_inspect.model.asm import Assembly
from gluon_inspect.model.facts import AnalysisResult, Facts
from gluon_inspect.model.finding import Column, Metric, Rule, Scalar, Table
from gluon_inspect.model.location import Location
from gluon_inspect.targets.isa import InstructionKind

RULES: tuple[Rule, ...] = ()

_SHOWN_BY_LINE = (
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
    order = list(InstructionKind)
    counts = sorted(
        facts.instructions_static.items(), key=lambda item: (order.index(_kind(kind, item[0])), -item[1], item[0])
    )
    executed = facts.instructions_executed
    rows = tuple((_kind(kind, name).value, name, count, executed.get(name)) for name, count in counts)
    columns = (Column("kind"), Column("instruction"), Column("static", "right"), Column("executed", "right"))
    if not executed:
        rows, columns = tuple(row[:3] for row in rows), columns[:3]
    return Table("instructions", "Instructions by kind and width", columns, rows, note=_NOTE)


def _lines(facts: Facts, kind: Mapping[str, InstructionKind]) -> Table:
    """One row a line and counted name; arithmetic and control flow as one row a line."""
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
    rest = 0
    for name, count in counts.items():
        if _kind(kind, name) in _SHOWN_BY_LINE:
            yield name, count
        else:
            rest += count
    if rest:
        yield "others", rest


def _kind(kind: Mapping[str, InstructionKind], name: str) -> InstructionKind:
    return kind.get(name, InstructionKind.OPAQUE)
