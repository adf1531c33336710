"""Bytes that an mbarrier is told to expect against the bytes of the bulk copies that arrive on it.

Decided only where both stand in one block on the same barrier value, between two waits, under predicates
that are the same or always true, and where nothing else brings bytes to that barrier. Anything else stays
undecided.

In a cluster every CTA announces its bytes, to its own barrier or to that of its group's leader, and each CTA
that a copy writes to completes what it received there; the announcement that one CTA makes for others
(`fromCTA`) reaches each of them once. So announced and copied bytes are compared by CTA, and the group's sum
agrees where its CTAs' do (BarrierOpToLLVM.cpp and LoadStoreOpToLLVM.cpp of Triton 3.9).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.operations import amdg, arith, operand, row_of, ttng
from gluon_inspect.layouts.lowering import block_bases
from gluon_inspect.layouts.tile import share_of_cta
from gluon_inspect.model.mlir import Block, Module, Operation, Value
from gluon_inspect.model.types import MemDescType, element_bits
from gluon_inspect.model.versions import NEWEST, Version

_CONTROL_BYTES = 16
"""Cluster launch control's answer, written to every CTA of the cluster (PTX ISA)."""
_PAIR = 2
_LEADERS: Version = (3, 9)
"""Since when the barrier of a group is its leader's; before, shared barriers stay undecided."""
_ALWAYS = -1


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


def expectations(module: Module, version: Version = NEWEST) -> tuple[Expectation, ...]:
    """Every group of expectations and copies that can be decided, in textual order. `version` of Triton."""
    graph = graph_of(module)
    blocks = (block for op in graph.operations for region in op.regions for block in region.blocks)
    groups = (group for block in blocks for group in _groups(block, graph))
    return tuple(found for group in groups if (found := _decided(group, graph, version)) is not None)


def _groups(block: Block, graph: Graph) -> Iterator[list[Operation]]:
    """Operations on one barrier between two waits."""
    barriers = {
        value.index for op in block.operations if row_of(op) is ttng.BARRIER_EXPECT for value in op.operands[:1]
    }
    for barrier in barriers:
        if _used_deeper(block, barrier, graph):
            continue
        group: list[Operation] = []
        for op in block.operations:
            if not any(value.index == barrier for value in op.operands):
                continue
            if row_of(op) is ttng.WAIT_BARRIER:
                yield group
                group = []
            else:
                group.append(op)
        yield group


def _used_deeper(block: Block, barrier: int, graph: Graph) -> bool:
    """Whether code inside loops and branches of the block uses the barrier."""
    outer = [op for op in block.operations if op.regions]
    return any(graph.is_inside(user, op) for user in graph.users[barrier] for op in outer)


def _decided(group: list[Operation], graph: Graph, version: Version) -> Expectation | None:
    expects = [op for op in group if row_of(op) is ttng.BARRIER_EXPECT]
    copies = [op for op in group if _arrives(op)]
    if not expects or not copies or any(_is_undecided(op) for op in group):
        return None
    predicates = {_predicate(op, graph) for op in (*expects, *copies)}
    if len(predicates) != 1 or not _is_clear(expects, copies, version, always=predicates == {_ALWAYS}):
        return None
    sizes = [size for op in expects if isinstance(size := op.attributes.get("size"), int)]
    moved = [count for op in copies if (count := _bytes_a_cta(op)) is not None]
    if len(sizes) < len(expects) or len(moved) < len(copies):
        return None
    return Expectation(expects[0], sum(sizes), sum(moved), tuple(copies))


def _is_undecided(op: Operation) -> bool:
    """AMD's barriers count otherwise; asynchronous stores bring bytes to barriers of CTAs not known here."""
    return row_of(op) is ttng.ASYNC_SHARED_STORE or row_of(op).name.startswith(amdg.PREFIX)


def _arrives(op: Operation) -> bool:
    copy = row_of(op).bulk
    control = row_of(op) is ttng.CLC_TRY_CANCEL
    return control or (copy is not None and copy.is_load and operand(op, "barrier") is not None)


def _predicate(op: Operation, graph: Graph) -> int:
    """What decides whether it runs: a value's index, or `_ALWAYS`."""
    found = operand(op, "pred")
    maker = None if found is None else graph.maker(found)
    holds = maker is not None and row_of(maker) is arith.CONSTANT and bool(maker.attributes.get("value"))
    return _ALWAYS if found is None or holds else found.index


def _is_clear(expects: list[Operation], copies: list[Operation], version: Version, *, always: bool) -> bool:
    """Whether each CTA's bytes and announcements can be told, where several CTAs meet on a barrier."""
    barrier = operand(expects[0], "alloc")
    sharing = _sharing(barrier)
    multicasts = any("multicast" in op.attributes for op in copies)
    routed = any("fromCTA" in op.attributes for op in expects)
    if sharing is None or (sharing > 1 and version < _LEADERS):
        return False
    # a multicast completes at its own place in each receiving CTA, or at the even one's of a pair (PTX ISA)
    if multicasts and sharing > _PAIR:
        return False
    # a predicate may differ from CTA to CTA: then only what stays within each is the same on both sides
    return always or not (multicasts or routed or sharing > 1)


def _sharing(barrier: Value | None) -> int | None:
    """How many CTAs meet on one barrier; None: unknown."""
    of = None if barrier is None else barrier.type
    if not isinstance(of, MemDescType) or of.encoding is None:
        return None
    return 1 << sum(not any(basis) for basis in block_bases(of.encoding))


def _bytes_a_cta(op: Operation) -> int | None:
    """Bytes that arrive in each CTA's shared memory; None: unknown."""
    if row_of(op) is ttng.CLC_TRY_CANCEL:
        return _CONTROL_BYTES
    copy = row_of(op).bulk
    buffer = None if copy is None else operand(op, copy.buffer)
    of = None if buffer is None else buffer.type
    bits = None if of is None else element_bits(of)
    if not isinstance(of, MemDescType) or of.encoding is None or not bits:
        return None
    cluster = block_bases(of.encoding)
    # a view of one CTA's part of a larger tile: all CTAs write there
    if any(any(basis) for basis in cluster) and of.alloc_shape[-len(of.shape) :] not in ((), of.shape):
        return None
    return prod(share_of_cta(of.shape, cluster)) * max(bits, 8) // 8
