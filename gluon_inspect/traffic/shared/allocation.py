"""Shared memory of one CTA: buffers, how long each lives, and where the compiler puts them.

Sizes and lifetimes follow triton-lang/triton, lib/Analysis/Allocation.cpp. Its placement is a heuristic
of its own; the one here (largest first, lowest free place) gave the compiler's total in every kernel of
the recorded launches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import row_of, scf, tt, ttg, ttng
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.rows import TOKEN
from gluon_inspect.model.encodings import NvmmaSharedEncoding, PaddedSharedEncoding
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.traffic.shared.operations import SharedOperation

_SCRATCH_ALIGNMENT = 128
_BUFFER_ALIGNMENT = 16
_SWIZZLED_ROWS = 8
_PLAIN_NVMMA_ALIGNMENT = 128
_TENSORMAP_BYTES = 128
_COPIES = (K.GLOBAL_TO_SHARED, K.SHARED_TO_GLOBAL)
"""Their results, and those of waits for them, stand for the buffers that they move."""


@dataclass(frozen=True, slots=True)
class SharedBuffer:
    """One allocation: `first` and `last` are positions of operations in textual order, both inclusive."""

    op: str
    location: Location | None
    bytes: int
    alignment_bytes: int
    first: int
    last: int
    is_scratch: bool
    offset: int = 0
    span: int = -1

    def lives_with(self, other: SharedBuffer) -> bool:
        """Whether both are alive at some operation."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """All buffers of one CTA; `problems` names what is not counted."""

    buffers: tuple[SharedBuffer, ...]
    problems: tuple[str, ...] = ()

    @property
    def total_bytes(self) -> int:
        """Bytes that one CTA needs: the end of the last buffer."""
        return max((buffer.offset + buffer.bytes for buffer in self.buffers), default=0)


def allocate(structure: Graph, operations: Iterable[SharedOperation]) -> SharedMemory:
    """Sizes, lifetimes and places of a module's shared buffers. `operations`: those that touch shared memory."""
    scratch_bytes = {each.op: each.lowering.scratch_bytes for each in operations}
    buffers: list[SharedBuffer] = []
    problems: list[str] = []
    for op in structure.operations:
        if row_of(op) is ttg.WARP_SPECIALIZE:
            problems.append("what a warp-specialised region captures also takes shared memory")
        found = _explicit(op, structure) or _scratch(op, structure, scratch_bytes)
        if found is not None:
            buffers.append(found)
    return SharedMemory(_placed(buffers), tuple(dict.fromkeys(problems)))


def _explicit(op: Operation, structure: Graph) -> SharedBuffer | None:
    of = op.results[0].type if row_of(op) is ttg.LOCAL_ALLOC else None
    if not isinstance(of, MemDescType) or of.memory_space != "shared":
        return None
    first = structure.first[op]
    last = _last_use(op, structure)
    return SharedBuffer(op.name, op.location, _bytes(of), _alignment(of), first, last, False, 0, op.span.start)


def _bytes(of: MemDescType) -> int:
    elements = prod(of.alloc_shape or of.shape)
    if isinstance(of.encoding, PaddedSharedEncoding):
        # no padding after the last element
        elements += sum((elements - 1) // interval * pad for interval, pad in of.encoding.intervals_pads)
    return elements * max(element_bits(of.element) or 8, 8) // 8


def _alignment(of: MemDescType) -> int:
    if not isinstance(of.encoding, NvmmaSharedEncoding):
        return _BUFFER_ALIGNMENT
    return max(_SWIZZLED_ROWS * of.encoding.swizzle_bytes, _PLAIN_NVMMA_ALIGNMENT)


def _scratch(op: Operation, structure: Graph, scratch_bytes: Mapping[Operation, int]) -> SharedBuffer | None:
    size = _TENSORMAP_BYTES if row_of(op) is ttng.TENSORMAP_CREATE else 0
    if row_of(op) is tt.HISTOGRAM and isinstance(op.results[0].type, TensorType):
        size = max(prod(op.results[0].type.shape), 32) * (element_bits(op.results[0].type) or 32) // 8
    if not size:
        size = scratch_bytes.get(op, 0)
    at = structure.first[op]
    if not size:
        return None
    return SharedBuffer(op.name, op.location, size, _SCRATCH_ALIGNMENT, at, at, True, 0, op.span.start)


def _last_use(op: Operation, structure: Graph) -> int:
    """The last operation that may touch a buffer, views included; whole loops where one uses it."""
    last, pending, seen = structure.first[op], [op.results[0].index], set[int]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for user in structure.users.get(value, ()):
            last = max(last, structure.end_of_use(user, op))
            if _passes_on(user):
                pending.extend(result.index for result in user.results)
            pending.extend(_passed_on(user))
    return last


def _passes_on(user: Operation) -> bool:
    """Whether results of an operation may stand for a buffer that it uses."""
    row = row_of(user)
    waits = row.kind is K.WAIT and row.result_type == TOKEN
    return row.is_view or row.kind in _COPIES or waits or row in (scf.FOR, scf.WHILE, scf.IF)


def _passed_on(user: Operation) -> Sequence[int]:
    """Block arguments that may stand for the buffer inside an operation with regions."""
    arguments = (a for region in user.regions for block in region.blocks for a in block.arguments)
    return [argument.index for argument in arguments if isinstance(argument.type, MemDescType)]


def _placed(buffers: Sequence[SharedBuffer]) -> tuple[SharedBuffer, ...]:
    """Largest first, each at the lowest place where nothing lives that is alive at the same time."""
    done: list[SharedBuffer] = []
    for buffer in sorted(buffers, key=lambda b: (-b.bytes, b.first)):
        rivals = sorted((b for b in done if b.lives_with(buffer)), key=lambda b: b.offset)
        offset = 0
        for rival in rivals:
            if offset + buffer.bytes <= rival.offset:
                break
            offset = max(offset, _aligned(rival.offset + rival.bytes, buffer.alignment_bytes))
        done.append(replace(buffer, offset=offset))
    return tuple(sorted(done, key=lambda b: (b.first, b.offset)))


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
