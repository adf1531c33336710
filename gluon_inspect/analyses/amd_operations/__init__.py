"""AMD: which instructions each line's memory operations became, and which operations are buffer operations."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.analyses.amd_operations.buffer_reasons import is_buffer, why_no_buffer
from gluon_inspect.assembly.line_match import LineMatch, Verdict, Widths, match_lines
from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.operations import row_of
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.finding import AnalysisResult, Column, Metric, Rule, Scalar, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Operation
from gluon_inspect.traffic.launch import entry_function

RULES: tuple[Rule, ...] = ()
_TRITON_STAGE = "ttir"
"""Gluon kernels have no such stage."""
_OPEN = frozenset({Verdict.MISSING, Verdict.UNKNOWN, Verdict.MORE})
"""Verdicts that leave an operation without its instructions."""


def run(facts: Facts) -> AnalysisResult:
    """Two tables for AMD kernels: operations against instructions by line, buffer operations with reasons."""
    if facts.target.backend != "hip":
        return AnalysisResult()
    matches = _matches(facts)
    tables = [table for table in (_instructions(matches), _buffers(facts)) if table is not None]
    return AnalysisResult(tables=tuple(tables), metrics=tuple(_metrics(matches)))


def _matches(facts: Facts) -> tuple[LineMatch, ...]:
    if facts.assembly is None:
        return ()
    return match_lines(facts.assembly, facts.kernel.name, facts.kernel.source_file, facts.accesses)


def _metrics(matches: tuple[LineMatch, ...]) -> Iterator[Metric]:
    if matches:
        settled = sum(match.verdict not in _OPEN for match in matches)
        yield Metric(
            "lines_reconciled", "Memory operations with their instructions", f"{settled} of {len(matches)}"
        )


def _instructions(matches: tuple[LineMatch, ...]) -> Table | None:
    if not matches:
        return None
    columns = (
        Column("line", "right"),
        Column("memory"),
        Column("accesses"),
        Column("predicted"),
        Column("found"),
        Column("instructions"),
        Column("verdict"),
    )
    rows = tuple(_row(match) for match in matches)
    places = tuple(match.location for match in matches)
    title = "Memory operations and their instructions by line"
    return Table("lines_reconciled", title, columns, rows, places, _NOTE)


_NOTE = "instructions a thread x bits a lane; two-address LDS instructions count as the two accesses they join"


def _row(match: LineMatch) -> tuple[Scalar, ...]:
    return (
        match.location.author.line if match.location else None,
        f"{match.space} {match.direction}",
        ", ".join(match.accesses),
        _widths(match.predicted),
        _widths(match.found),
        ", ".join(match.names),
        match.verdict.value,
    )


def _widths(widths: Widths) -> str:
    return ", ".join(f"{count} x {bits}" for bits, count in widths.items()) or "none"


def _buffers(facts: Facts) -> Table | None:
    function = None if facts.module is None else entry_function(facts.module, facts.kernel.name)
    if function is None or facts.module is None:
        return None
    graph = graph_of(facts.module)
    operations = {op.span.start: op for op in graph.within(function)}
    reached = [
        (access, operations[access.result_of]) for access in _global(facts) if access.result_of in operations
    ]
    found = [(access, op) for access, op in reached if row_of(op).bulk is None]
    if not found:
        return None
    is_gluon = _TRITON_STAGE not in facts.kernel.stages
    rows = tuple(_buffer_row(access, op, function, graph, is_gluon) for access, op in found)
    places: tuple[Location | None, ...] = tuple(access.location for access, _ in found)
    columns = (Column("access"), Column("operation"), Column("buffer operation"), Column("why not"))
    return Table("buffer_operations", "Buffer operations", columns, rows, places, _BUFFER_NOTE)


_BUFFER_NOTE = (
    "a buffer operation checks bounds in hardware and takes a 32-bit offset a lane instead of a 64-bit address; "
    "in Gluon gl.amd.cdna3.buffer_load and buffer_store ask for one"
)


def _global(facts: Facts) -> list[Access]:
    return [access for access in facts.accesses if access.space is Space.GLOBAL and access.transactions is None]


def _buffer_row(
    access: Access, op: Operation, function: Operation, graph: Graph, is_gluon: bool
) -> tuple[Scalar, ...]:
    why = why_no_buffer(op, function, graph, is_gluon=is_gluon)
    return access.id, access.op, "yes" if is_buffer(op) else "no", why
