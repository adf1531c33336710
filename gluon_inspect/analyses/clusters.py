"""Kernels whose CTAs work in clusters: what crosses from one CTA to another."""

from __future__ import annotations

from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import row_of, ttng
from gluon_inspect.ir.operations.kinds import OperationKind, OperationRow
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.finding import AnalysisResult, Column, Metric, Rule, Scalar, Table
from gluon_inspect.model.location import Location

RULES: tuple[Rule, ...] = ()


def run(facts: Facts) -> AnalysisResult:
    """The cluster's size, and a table of what it shares; nothing for kernels without clusters."""
    if facts.module is None or not facts.num_ctas or facts.num_ctas < 2:
        return AnalysisResult()
    found = [*_crossing(facts), *_operations(facts)]
    size = Metric("cluster_ctas", "CTAs a cluster", facts.num_ctas)
    if not found:
        return AnalysisResult(metrics=(size,))
    columns = (
        Column("operation"),
        Column("crosses CTAs by"),
        Column("executions", "right"),
        Column("crossing", "right", "B"),
    )
    note = "crossing: bytes between CTAs in the whole launch; not compared with counters"
    rows, places = tuple(row for row, _ in found), tuple(place for _, place in found)
    return AnalysisResult(tables=(Table("clusters", "Across CTAs", columns, rows, places, note),), metrics=(size,))


def _crossing(facts: Facts) -> list[tuple[tuple[Scalar, ...], Location | None]]:
    return [
        ((each.op, _how(each), each.executions, each.bytes_requested), each.location)
        for each in facts.accesses
        if each.space is Space.CLUSTER
    ]


def _how(access: Access) -> str:
    does = "stores to" if access.direction is Direction.STORE else "loads from"
    return f"{does} another CTA's shared memory"


def _operations(facts: Facts) -> list[tuple[tuple[Scalar, ...], Location | None]]:
    runs = {each.result_of: each.executions for each in facts.accesses}
    found: list[tuple[tuple[Scalar, ...], Location | None]] = []
    for op in () if facts.module is None else graph_of(facts.module).operations:
        shared = _shared_by(row_of(op), "multicast" in op.attributes, "two_ctas" in op.attributes)
        if shared:
            found.append(((op.name, shared, runs.get(op.span.start), None), op.location))
    return found


def _shared_by(row: OperationRow, multicast: bool, pair: bool) -> str:
    if row.kind is OperationKind.MMA and pair:
        return "an MMA of two CTAs"
    if multicast and row.bulk is not None:
        return "multicast"
    return "cluster barrier" if row in (ttng.CLUSTER_BARRIER, ttng.CLUSTER_WAIT) else ""
