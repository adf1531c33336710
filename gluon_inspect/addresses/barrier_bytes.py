"""Bytes that an mbarrier is told to expect against the bytes of the bulk copies that arrive on it.

Decided only where both stand in one block on the same barrier value, between two waits, under predicates
that are the same or always true, and where nothing else brings bytes to that barrier. Anything else stays
undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from gluon_inspect.addresses.bulk_ops import bulk_row
from gluon_inspect.addresses.global_ops import operand
from gluon_inspect.layouts.lowering import block_bases
from gluon_inspect.layouts.tile import share_of_cta
from gluon_inspect.model.mlir import Block, Module, Operation, Value
from gluon_inspect.model.types import MemDescType, element_bits

_EXPECT = "ttng.barrier_expect"
_WAIT = "ttng.wait_barrier"
_OTHERS = frozenset(
    {"ttng.async_shared_store", "ttng.clc_try_cancel", "ttng.async_copy_mbarrier_arrive", "ttng.tmem_copy"}
)
"""They may bring bytes to a barrier, too."""


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """Expectations and copies on one barrier between two waits: bytes a CTA."""

    expect: Operation
    expected_bytes: int
    copied_bytes: int
    copies: tuple[Operation, ...]

    @property
    def agrees(self) -> bool:
        """Whether the barrier completes exactly when its copies have."""
        return self.expected_bytes == self.copied_bytes


def expectations(module: Module) -> tuple[Expectation, ...]:
    """Every group of expectations and copies that can be decided, in textual order."""
    constants = {
        result.index: op.attributes.get("value")
        for op in module.walk()
        if op.name == "arith.constant"
        for result in op.results
    }
    blocks = [block for op in module.walk() for region in op.regions for block in region.blocks]
    return tuple(found for block in blocks for found in _of_block(block, constants))


def _of_block(block: Block, constants: Mapping[int, object]) -> Iterator[Expectation]:
    barriers = {value.index for op in block.operations if op.name == _EXPECT for value in op.operands[:1]}
    for barrier in barriers:
        if _used_deeper(block, barrier):
            continue
        group: list[Operation] = []
        for op in block.operations:
            if not any(value.index == barrier for value in op.operands):
                continue
            if op.name == _WAIT:
                yield from _decided(group, constants)
                group = []
            else:
                group.append(op)
        yield from _decided(group, constants)


def _used_deeper(block: Block, barrier: int) -> bool:
    """Whether code inside loops and branches of the block uses the barrier."""
    return any(
        value.index == barrier
        for op in block.operations
        for region in op.regions
        for inner_block in region.blocks
        for outer in inner_block.operations
        for inner in outer.walk()
        for value in inner.operands
    )


def _decided(group: list[Operation], constants: Mapping[int, object]) -> Iterator[Expectation]:
    expects = [op for op in group if op.name == _EXPECT]
    copies = [op for op in group if _arrives(op)]
    if not expects or not copies or any(op.name in _OTHERS or op.name.startswith("amdg.") for op in group):
        return
    if len({_predicate(op, constants) for op in (*expects, *copies)}) != 1:
        return
    sizes = [op.attributes.get("size") for op in expects]
    moved = [_bytes_a_cta(op) for op in copies]
    barrier = operand(expects[0], "alloc")
    if any(not isinstance(size, int) for size in sizes) or any(each is None for each in moved):
        return
    if barrier is None or _shares(barrier):
        return
    expected = sum(size for size in sizes if isinstance(size, int))
    yield Expectation(expects[0], expected, sum(each for each in moved if each), tuple(copies))


def _arrives(op: Operation) -> bool:
    row = bulk_row(op)
    return row is not None and row.is_load and operand(op, "barrier") is not None


def _predicate(op: Operation, constants: Mapping[int, object]) -> int:
    """What decides whether it runs: a value's index, or -1 for always."""
    found = operand(op, "pred")
    return -1 if found is None or constants.get(found.index) else found.index


def _bytes_a_cta(op: Operation) -> int | None:
    row = bulk_row(op)
    buffer = None if row is None else operand(op, row.buffer)
    of = None if buffer is None else buffer.type
    bits = None if of is None else element_bits(of)
    if not isinstance(of, MemDescType) or of.encoding is None or not bits:
        return None
    return prod(share_of_cta(of.shape, block_bases(of.encoding))) * max(bits, 8) // 8


def _shares(barrier: Value) -> bool:
    """Whether CTAs of a cluster share the barrier, so that bytes of several arrive on one."""
    of = barrier.type
    encoding = of.encoding if isinstance(of, MemDescType) else None
    return encoding is not None and any(not any(basis) for basis in block_bases(encoding))
