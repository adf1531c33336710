"""Buffers and barriers through which the partitions of a warp-specialised kernel work together."""

from __future__ import annotations

from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.buffers import Channel, channels
from gluon_inspect.model.finding import AnalysisResult, Column, Rule, Scalar, Table
from gluon_inspect.model.types import MemDescType
from gluon_inspect.wording.places import told_apart

RULES: tuple[Rule, ...] = ()


def run(facts: Facts) -> AnalysisResult:
    """A table of what one partition makes and another takes; nothing without partitions."""
    found = () if facts.module is None else channels(facts.module)
    if not found:
        return AnalysisResult()
    columns = (
        Column("channel"),
        Column("kind"),
        Column("slots", "right"),
        Column("filled or signalled by"),
        Column("read or awaited by"),
    )
    note = "barriers and buffers are matched to their allocations; what reaches them another way is missing"
    places = tuple(each.root.location for each in found)
    names = told_apart([_name(each) for each in found], places)
    rows = tuple(_row(name, each) for name, each in zip(names, found, strict=True))
    return AnalysisResult(tables=(Table("channels", "Channels between partitions", columns, rows, places, note),))


def _row(name: str, found: Channel) -> tuple[Scalar, ...]:
    kind = "barrier" if found.is_barrier else _memory(found)
    return (name, kind, found.slots, ", ".join(found.makers), ", ".join(found.takers))


def _memory(found: Channel) -> str:
    of = found.root.results[0].type
    return "tensor memory" if isinstance(of, MemDescType) and of.memory_space == "tensor" else "shared memory"


def _name(found: Channel) -> str:
    place = found.root.location
    return place.name if place is not None and place.name else found.root.results[0].name.lstrip("%")
