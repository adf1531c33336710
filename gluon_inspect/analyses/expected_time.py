"""The expected time of the launch, the resource that sets it, and each access's share."""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.access import Access
from gluon_inspect.model.cost import AccessCost, KernelCost, Stall
from gluon_inspect.model.finding import AnalysisResult, Column, Metric, Rule, Table
from gluon_inspect.wording.times import by_place, headline

RULES: tuple[Rule, ...] = ()
_MICROSECONDS = 1e6


def run(facts: Facts) -> AnalysisResult:
    """Expected time and limiting resource as metrics, resources and accesses as tables; no findings."""
    cost = facts.cost
    if cost is None:
        return AnalysisResult()
    standing = (_standing(cost),) if cost.standing else ()
    tables = (_resources(facts, cost), *standing, _accesses(facts, cost))
    return AnalysisResult(tables=tables, metrics=_metrics(cost))


def _metrics(cost: KernelCost) -> tuple[Metric, ...]:
    return (
        Metric("expected_time", "Expected time", _us(cost.seconds), "µs", cost.confidence),
        Metric("expected_limit", "Expected to be limited by", cost.limiting.value, "", cost.confidence),
    )


def _standing(cost: KernelCost) -> Table:
    """By the author's line where the assembly says lines, else by instruction; most of the time first."""
    columns = (Column("where"), Column("of the time", "right"), Column("waits for"))
    places = by_place(cost)[:_MOST_PLACES]
    rows = tuple((place.name, f"{place.share:.0%}", _reasons(place.stalls, place.share)) for place in places)
    note = "where a warp stands while the kernel runs, before which line's instructions; in the profiler's words"
    return Table(
        "expected_standing", "Expected stalls", columns, rows, tuple(place.location for place in places), note
    )


_MOST_PLACES, _MOST_REASONS, _LEAST_REASON = 8, 3, 0.1


def _reasons(stalls: Mapping[Stall, float], whole: float) -> str:
    found = sorted(stalls.items(), key=lambda item: -item[1])[:_MOST_REASONS]
    return ", ".join(f"{stall} {share / whole:.0%}" for stall, share in found if share >= _LEAST_REASON * whole)


def _us(seconds: float) -> float:
    return round(seconds * _MICROSECONDS, 2)


def _resources(facts: Facts, cost: KernelCost) -> Table:
    columns = (Column("resource"), Column("busy", "right", "µs"), Column("of the time", "right"))
    rows = tuple(
        (name.value, _us(seconds), round(seconds / cost.seconds, 3))
        for name, seconds in sorted(cost.parts.items(), key=lambda item: -item[1])
        if seconds
    )
    note = "; ".join(
        (f"on a {facts.target.reference_device}{_coarse(cost)}", f"model: {cost.model}", *cost.assumed)
    )
    title = headline(cost)
    return Table("expected_time", title, columns, rows, (), note, ("expected_time", "expected_limit"))


def _coarse(cost: KernelCost) -> str:
    return "" if cost.has_code else ", from memory traffic alone: no assembly was issued"


def _accesses(facts: Facts, cost: KernelCost) -> Table:
    places = {access.id: access.location for access in facts.accesses}
    names = {access.id: _named(access) for access in facts.accesses}
    columns = (
        Column("access"),
        Column("operation"),
        Column("alone", "right", "µs"),
        Column("limited by"),
        Column("lost", "right", "µs"),
    )
    ordered = sorted(cost.per_access, key=lambda each: -each.lost_seconds)
    rows = tuple(_row(each, names.get(each.id, "")) for each in ordered)
    return Table(
        "expected_time_accesses",
        "Expected time of each access",
        columns,
        rows,
        tuple(places.get(each.id) for each in ordered),
        "lost: what the kernel would gain if the access moved its bytes in the fewest sectors",
    )


def _named(access: Access) -> str:
    """The operation and its line: ids are for the JSON report."""
    operation = access.op.partition(".")[2] or access.op
    return operation if access.location is None else f"{operation}, line {access.location.author.line}"


def _row(each: AccessCost, op: str) -> tuple[str, str, float, str, float]:
    return each.id, op, _us(each.seconds), each.limiting.value, _us(each.lost_seconds)
