"""Which allocation a buffer or barrier is part of, and what each operation does to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import prod

from gluon_inspect.ir.operations import (
    amdg,
    row_of,
    scf,
    ttg,
    ttng,
)
from gluon_inspect.model.mlir import Block, Module, Operation, Value
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


class Buffers:
    """The allocations of a module, followed through views, loops and partitions."""

    def __init__(self, module: Module) -> None:
        self._makers = {result.index: op for op in module.walk() for result in op.results}
        self._passed = {argument: value for op in module.walk() for argument, value in _passed(op)}

    def root(self, value: Value) -> Operation | None:
        """The operation that allocated what `value` is a view of; None where that is not followed."""
        for step in self._steps(value):
            if row_of(step).is_allocation:
                return step
        return None

    def slots(self, value: Value) -> int:
        """How many buffers like `value` its allocation holds, 1 where it is all of it."""
        root = self.root(value)
        whole = None if root is None else root.results[0].type
        if not isinstance(whole, MemDescType) or not isinstance(value.type, MemDescType):
            return 1
        return prod(whole.shape[: max(0, len(whole.shape) - len(value.type.shape))])

    def touches(self, module: Module) -> Iterator[Touch]:
        """Every use of an allocation, in textual order; views are none."""
        for op in module.walk():
            if row_of(op).is_view or row_of(op) in _HANDED_OVER:
                continue
            for role, value in _roles(op):
                use = _use(op, role)
                root = self.root(value) if use is not None and isinstance(value.type, MemDescType) else None
                if use is not None and root is not None:
                    yield Touch(op, use, value, root)

    def _steps(self, value: Value) -> Iterator[Operation]:
        seen: set[int] = set()
        at: Value | None = value
        while at is not None and at.index not in seen:
            seen.add(at.index)
            at = self._passed.get(at.index, at)
            maker = self._makers.get(at.index)
            if maker is None:
                continue
            yield maker
            at = maker.operands[0] if row_of(maker).is_view and maker.operands else None


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


def _passed(op: Operation) -> Iterator[tuple[int, Value]]:
    """Buffers that a region gets as arguments: what the partition captures, or what a loop starts with."""
    blocks = [region.blocks[0] for region in op.regions if region.blocks]
    if row_of(op) in _HANDED_OVER:
        for block in blocks:
            yield from _paired(block, op.operands, 0)
    elif row_of(op) is scf.FOR and blocks:
        yield from _paired(blocks[0], op.operands[3:], 1)
    elif row_of(op) is scf.WHILE and blocks:
        yield from _paired(blocks[0], op.operands, 0)


def _paired(block: Block, given: tuple[Value, ...], skipped: int) -> Iterator[tuple[int, Value]]:
    for argument, value in zip(block.arguments[skipped:], given, strict=False):
        if isinstance(argument.type, MemDescType):
            yield argument.index, value
