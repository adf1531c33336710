"""The expected time of the launch, the resource that sets it, and each access's share."""

from __future__ import annotations

from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.access import Access
from gluon_inspect.model.cost import AccessCost, KernelCost
from gluon_inspect.model.finding import AnalysisResult, Column, Metric, Rule, Table

RULES: tuple[Rule, ...] = ()
_MICROSECONDS = 1e6


def run(facts: Facts) -> AnalysisResult:
    """Expected time and limiting resource as metrics, resources and accesses as tables; no findings."""
    cost = facts.cost
    if cost is None:
        return AnalysisResult()
    return AnalysisResult(tables=(_resources(facts, cost), _accesses(facts, cost)), metrics=_metrics(cost))


def _metrics(cost: KernelCost) -> tuple[Metric, ...]:
    return (
        Metric("expected_time", "Expected time", _us(cost.seconds), "µs", cost.confidence),
        Metric("expected_limit", "Expected to be limited by", cost.limiting.value, "", cost.confidence),
    )


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
        (f"on a {facts.target.reference_device}, compute left out", f"model: {cost.model}", *cost.assumed)
    )
    title = f"Expected time: {_us(cost.seconds)} µs, {cost.limiting.value}"
    return Table("expected_time", title, columns, rows, (), note, ("expected_time", "expected_limit"))


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
