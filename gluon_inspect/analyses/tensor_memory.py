"""Tensor memory of one CTA by allocation: columns of 512, with lifetimes."""

from __future__ import annotations

from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import AnalysisResult, Column, Metric, Rule, Table
from gluon_inspect.model.location import Location
from gluon_inspect.traffic.tensor.allocation import COLUMNS, TensorMemory, tensor_memory
from gluon_inspect.wording.places import told_apart

RULES: tuple[Rule, ...] = ()


def run(facts: Facts) -> AnalysisResult:
    """A table of the buffers and the columns taken; nothing where there is no tensor memory."""
    if facts.module is None or facts.target.backend != "cuda":
        return AnalysisResult()
    memory = tensor_memory(facts.module)
    if not memory.buffers:
        return AnalysisResult()
    places = [op.location for op in graph_of(facts.module).operations]
    return AnalysisResult(tables=(_table(facts, memory, places),), metrics=(_metric(facts, memory),))


def _metric(facts: Facts, memory: TensorMemory) -> Metric:
    agrees = facts.tensor_memory_columns in (None, memory.allocated_columns) and not memory.problems
    confidence = Confidence.EXACT if agrees else Confidence.ASSUMED
    taken = facts.tensor_memory_columns or memory.allocated_columns
    return Metric("tensor_memory_columns", f"tensor memory, columns of {COLUMNS}", taken, "columns", confidence)


def _table(facts: Facts, memory: TensorMemory, places: list[Location | None]) -> Table:
    columns = (
        Column("buffer"),
        Column("rows", "right"),
        Column("columns", "right"),
        Column("from column", "right"),
        Column("alive from"),
        Column("until"),
    )
    locations = tuple(each.location for each in memory.buffers)
    names = told_apart([each.name for each in memory.buffers], locations)
    rows = tuple(
        (name, each.rows, each.columns, each.column, _line(places, each.first), _line(places, each.last))
        for name, each in zip(names, memory.buffers, strict=True)
    )
    return Table("tensor-memory", "Tensor memory of one CTA", columns, rows, locations, _note(facts, memory))


def _line(places: list[Location | None], at: int) -> str:
    found = places[at]
    return "" if found is None else f"line {found.line}"


def _note(facts: Facts, memory: TensorMemory) -> str:
    told = facts.tensor_memory_columns or memory.allocated_columns
    notes = [f"{memory.used_columns} columns are used; {told} of {COLUMNS} are allocated", *memory.problems]
    fits = COLUMNS // told if told else 0
    if fits:
        notes.append(f"{fits} CTA{'s' if fits > 1 else ''} an SM fit by tensor memory")
    return "; ".join(notes)
