"""What each operation does to which allocation, and what partitions hand to each other that way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import prod

from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.operations import amdg, row_of, ttg, ttng
from gluon_inspect.ir.partitions import Partition, homes
from gluon_inspect.model.mlir import Module, Operation, Value
from gluon_inspect.model.types import MemDescType

_HANDED_OVER = (ttg.WARP_SPECIALIZE, ttg.PARTITIONS)


class Use(StrEnum):
    """What an operation does to a buffer, or to a barrier."""

    WRITE = "write"
    READ = "read"
    SIGNAL = "signal"
    WAIT = "wait"


_BY_ROLE: Mapping[str, Use] = {
    "barrier": Use.SIGNAL,
    "barriers": Use.SIGNAL,
    "mbarrier": Use.SIGNAL,
    "result": Use.WRITE,
    "dst": Use.WRITE,
    "dest": Use.WRITE,
    "d": Use.WRITE,
    "src": Use.READ,
    "a": Use.READ,
    "b": Use.READ,
    "a_scale": Use.READ,
    "b_scale": Use.READ,
}
"""By the operand's role (its ODS name)."""

_ON_BARRIERS = {
    **dict.fromkeys((ttng.WAIT_BARRIER, amdg.WAIT_BARRIER), Use.WAIT),
    **dict.fromkeys((ttng.ARRIVE_BARRIER, amdg.ARRIVE_BARRIER, ttng.BARRIER_EXPECT), Use.SIGNAL),
}
"""Operations whose `alloc` is a barrier; making and ending one is no use."""


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """One operation's use of a buffer: `value` is the operand, `root` the operation that allocated it."""

    op: Operation
    use: Use
    value: Value
    root: Operation


def slots(graph: Graph, value: Value) -> int:
    """How many buffers like `value` its allocation holds, 1 where it is all of it."""
    root = graph.root(value)
    whole = None if root is None else root.results[0].type
    if not isinstance(whole, MemDescType) or not isinstance(value.type, MemDescType):
        return 1
    return prod(whole.shape[: max(0, len(whole.shape) - len(value.type.shape))])


def touches(graph: Graph) -> Iterator[Touch]:
    """Every use of an allocation, in textual order; views are none."""
    for op in graph.operations:
        if row_of(op).is_view or row_of(op) in _HANDED_OVER:
            continue
        for role, value in _roles(op):
            use = _use(op, role)
            root = graph.root(value) if use is not None and isinstance(value.type, MemDescType) else None
            if use is not None and root is not None:
                yield Touch(op, use, value, root)


def _use(op: Operation, role: str) -> Use | None:
    if role == "alloc":
        return _ON_BARRIERS.get(row_of(op))
    return _BY_ROLE.get(role)


def _roles(op: Operation) -> Iterator[tuple[str, Value]]:
    groups = op.attributes.get("operand_groups")
    if not isinstance(groups, Mapping):
        return
    for role, places in groups.items():
        for place in places if isinstance(places, tuple) else (places,):
            if isinstance(place, int):
                yield role, op.operands[place]


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """One allocation that several partitions use. `slots`: buffers or barriers that it holds.

    `makers`: partitions that write it or arrive at it; `takers`: those that read it or wait for it.
    """

    root: Operation
    is_barrier: bool
    slots: int
    makers: tuple[str, ...]
    takers: tuple[str, ...]


def channels(module: Module) -> tuple[Channel, ...]:
    """The allocations that one partition fills or signals and another reads or awaits, in textual order."""
    parts = homes(module)
    if not parts:
        return ()
    graph = graph_of(module)
    by_root: dict[Operation, list[Touch]] = {}
    for touch in touches(graph):
        if touch.op.span.start in parts:
            by_root.setdefault(touch.root, []).append(touch)
    ordered = sorted(by_root.items(), key=lambda each: each[0].span.start)
    found = (_channel(root, uses, graph, parts) for root, uses in ordered)
    return tuple(each for each in found if _crosses(each))


def _channel(root: Operation, uses: list[Touch], graph: Graph, parts: Mapping[int, Partition]) -> Channel:
    def who(*wanted: Use) -> tuple[str, ...]:
        return tuple(dict.fromkeys(parts[each.op.span.start].name for each in uses if each.use in wanted))

    return Channel(
        root,
        any(each.use in (Use.SIGNAL, Use.WAIT) for each in uses),
        min(slots(graph, each.value) for each in uses),
        who(Use.WRITE, Use.SIGNAL),
        who(Use.READ, Use.WAIT),
    )


def _crosses(channel: Channel) -> bool:
    return any(maker != taker for maker in channel.makers for taker in channel.takers)
