"""Shared memory of one CTA by allocation, with lifetimes, and what it does to occupancy."""

from __future__ import annotations

from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import AnalysisResult, Column, Metric, Rule, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Module
from gluon_inspect.traffic.shared.allocation import SharedBuffer, SharedMemory, allocate
from gluon_inspect.wording.places import told_apart

RULES: tuple[Rule, ...] = ()


def run(facts: Facts) -> AnalysisResult:
    """A table of the buffers and the bytes that they need together; nothing without shared memory."""
    if facts.module is None or facts.graph is None or facts.target.backend != "cuda":
        return AnalysisResult()
    memory = allocate(facts.graph, facts.shared)
    if not memory.buffers:
        return AnalysisResult()
    return AnalysisResult(tables=(_table(facts, facts.module, memory),), metrics=_metrics(facts, memory))


def _metrics(facts: Facts, memory: SharedMemory) -> tuple[Metric, ...]:
    agrees = facts.shared_bytes is None or facts.shared_bytes == memory.total_bytes
    confidence = Confidence.EXACT if agrees and not memory.problems else Confidence.ASSUMED
    total = Metric("shared_allocated_bytes", "shared memory by allocation", memory.total_bytes, "B", confidence)
    limit = None if facts.occupancy is None else facts.occupancy.limits.get("shared")
    return (total, Metric("shared_ctas_per_sm", "CTAs an SM that shared memory allows", limit))


def _table(facts: Facts, module: Module, memory: SharedMemory) -> Table:
    columns = (
        Column("buffer"),
        Column("bytes", "right", "B"),
        Column("offset", "right", "B"),
        Column("alive from"),
        Column("until"),
    )
    places = [op.location for op in graph_of(module).operations]
    names = told_apart([_name(each) for each in memory.buffers], [each.location for each in memory.buffers])
    rows = tuple(
        (name, buffer.bytes, buffer.offset, _line(places[buffer.first]), _line(places[buffer.last]))
        for name, buffer in zip(names, memory.buffers, strict=True)
    )
    return Table(
        "shared-memory",
        "Shared memory of one CTA",
        columns,
        rows,
        tuple(buffer.location for buffer in memory.buffers),
        _note(facts, memory),
    )


def _name(buffer: SharedBuffer) -> str:
    kind = "scratch of " if buffer.is_scratch else ""
    name = buffer.location.name if buffer.location is not None else ""
    return f"{kind}{name or buffer.op}"


def _line(location: Location | None) -> str:
    return "" if location is None else f"line {location.author.line}"


def _note(facts: Facts, memory: SharedMemory) -> str:
    notes = [*memory.problems]
    if facts.shared_bytes is not None and facts.shared_bytes != memory.total_bytes:
        notes.append(f"the compiler took {facts.shared_bytes:,} B, the allocations make {memory.total_bytes:,} B")
    limits = dict[str, int]() if facts.occupancy is None else facts.occupancy.limits
    if "shared" in limits:
        notes.append(f"{limits['shared']} CTAs an SM fit by shared memory, {min(limits.values())} by everything")
    return "; ".join(notes)
