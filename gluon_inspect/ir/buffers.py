"""Which allocation a buffer or barrier is part of, and what each operation does to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import prod

from gluon_inspect.model.mlir import Block, Module, Operation, Value
from gluon_inspect.model.types import MemDescType

_VIEWS = ("ttg.memdesc_", "ttng.tmem_subslice")
_MAKERS = frozenset({"ttg.local_alloc", "ttng.tmem_alloc"})
_HANDED_OVER = frozenset({"ttg.warp_specialize", "ttg.warp_specialize.partitions"})


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

_ON_BARRIERS = {"wait_barrier": Use.WAIT, "arrive_barrier": Use.SIGNAL, "barrier_expect": Use.SIGNAL}
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
            if step.name in _MAKERS:
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
            if op.name.startswith(_VIEWS) or op.name in _HANDED_OVER:
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
            at = maker.operands[0] if maker.name.startswith(_VIEWS) and maker.operands else None


def _use(op: Operation, role: str) -> Use | None:
    if role == "alloc":
        return _ON_BARRIERS.get(op.name.partition(".")[2])
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
    if op.name in _HANDED_OVER:
        for block in blocks:
            yield from _paired(block, op.operands, 0)
    elif op.name == "scf.for" and blocks:
        yield from _paired(blocks[0], op.operands[3:], 1)
    elif op.name == "scf.while" and blocks:
        yield from _paired(blocks[0], op.operands, 0)


def _paired(block: Block, given: tuple[Value, ...], skipped: int) -> Iterator[tuple[int, Value]]:
    for argument, value in zip(block.arguments[skipped:], given, strict=False):
        if isinstance(argument.type, MemDescType):
            yield argument.index, value
