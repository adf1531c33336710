"""The shared layout under which everything that touches a buffer is cheapest, found by trying them.

Every candidate is costed by the same model as the kernel's own layout: the stores and the loads of all
operations together, at their instruction widths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations

from gluon_inspect.errors import LayoutError
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import operand, row_of, ttg
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.encodings import Bases, Encoding, PaddedSharedEncoding, SwizzledSharedEncoding
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.model.versions import NEWEST, Version
from gluon_inspect.targets import find
from gluon_inspect.traffic.shared.amd.transfer import lds_transfer
from gluon_inspect.traffic.shared.conversion import MatrixSupport
from gluon_inspect.traffic.shared.memory_layout import (
    MemoryLayout,
    memory_layout,
    offsets_of,
    placed,
    register_layout,
)
from gluon_inspect.traffic.shared.transfer import Transfer, choose_transfer

_VECTOR_BYTES = 16
_MOST_ELEMENTS = 1 << 15
_ROW_BITS = 128
"""Of a matrix that ldmatrix and stmatrix move."""


@dataclass(frozen=True, slots=True)
class Use:
    """One side of a buffer: the registers' tensor, and whether it stores.

    `order`: the tensor's dimension i is the buffer's dimension order[i], where a transposed view is between them.
    """

    tensor: TensorType
    store: bool
    order: tuple[int, ...] = ()

    @property
    def layout(self) -> LinearLayout:
        """The registers' layout over the buffer's dimensions."""
        found = register_layout(self.tensor)
        return found.permuted(tuple(map(self.order.index, range(len(self.order))))) if self.order else found

    @property
    def shape(self) -> tuple[int, ...]:
        """The tensor's shape in the buffer's dimensions."""
        return tuple(self.tensor.shape[self.order.index(i)] for i in range(len(self.order))) or self.tensor.shape


@dataclass(frozen=True, slots=True)
class Costed:
    """A layout with its cost: wavefronts of one CTA's every use, at best, and warp instructions."""

    encoding: Encoding
    wavefronts: int
    ideal: int
    requests: int

    @property
    def is_free(self) -> bool:
        """No use conflicts."""
        return self.wavefronts == self.ideal


def uses_of(buffer: MemDescType, allocation: Operation, structure: Graph) -> tuple[Use, ...] | None:
    """Everything that reads or writes a buffer through registers, transposed views of it included.

    None where something else depends on its layout (TMA, matrix units, other views).
    """
    found: list[Use] = []
    source = operand(allocation, "src")
    if source is not None and isinstance(source.type, TensorType):
        found.append(Use(source.type, True))
    pending: list[tuple[int, tuple[int, ...]]] = [(allocation.results[0].index, ())]
    while pending:
        value, order = pending.pop()
        for user in structure.users.get(value, ()):
            use = _use(user)
            if use is not None:
                found.append(replace(use, order=order))
            elif row_of(user) is ttg.MEMDESC_INDEX and not order:
                pending.append((user.results[0].index, ()))
            elif row_of(user) is ttg.MEMDESC_TRANS:
                pending.append((user.results[0].index, _transposed(user, order)))
            elif row_of(user) is not ttg.LOCAL_DEALLOC:
                return None
    fits = all(use.shape == buffer.shape[-len(use.shape) :] for use in found)
    return tuple(found) if found and fits else None


def _transposed(view: Operation, order: tuple[int, ...]) -> tuple[int, ...]:
    """A view's dimensions as dimensions of the buffer: `order` is its source's."""
    named = view.attributes.get("order")
    turned = tuple(i for i in named if isinstance(i, int)) if isinstance(named, Sequence) else ()
    return tuple(order[i] for i in turned) if order else turned


def _use(op: Operation) -> Use | None:
    move = row_of(op).shared
    if move is None or row_of(op) not in (ttg.LOCAL_LOAD, ttg.LOCAL_STORE, ttg.ASYNC_COPY_GLOBAL_TO_LOCAL):
        return None
    value = operand(op, move.tensor) if move.tensor else op.results[0]
    return Use(value.type, move.is_store) if value is not None and isinstance(value.type, TensorType) else None


def cost(
    buffer: MemDescType, encoding: Encoding, uses: Sequence[Use], support: MatrixSupport, version: Version = NEWEST
) -> Costed | None:
    """What all uses cost under a layout; None where it does not fit or faults."""
    shape = uses[0].shape
    total = ideal = requests = 0
    try:
        memory = memory_layout(MemDescType(shape, buffer.element, encoding, "shared"), version)
        for use in uses:
            transfer = _transfer(use, memory, support)
            if transfer.misaligned:
                return None
            found = transfer.cost()
            total += found.total
            ideal += found.total_ideal
            requests += found.wavefronts.size
    except LayoutError:
        return None
    return Costed(encoding, total, ideal, requests)


def _transfer(use: Use, memory: MemoryLayout, support: MatrixSupport) -> Transfer:
    matrix = support.store if use.store else support.load
    offsets = placed(use.layout, memory)
    transfer = choose_transfer(offsets, memory.bits, use.store, matrix, memory.padding)
    return lds_transfer(transfer, find(support.lds), store=use.store) if support.lds else transfer


def width_bits(
    buffer: MemDescType, encoding: Encoding, use: Use, support: MatrixSupport, version: Version = NEWEST
) -> int:
    """Bits a lane of the instructions by which a use moves its tile under a layout; 0 where it does not fit."""
    try:
        memory = memory_layout(MemDescType(use.shape, buffer.element, encoding, "shared"), version)
        transfer = _transfer(use, memory, support)
    except LayoutError:
        return 0
    return 0 if transfer.misaligned else transfer.bits


@lru_cache(maxsize=256)
def best_layout(
    buffer: MemDescType, uses: tuple[Use, ...], support: MatrixSupport, version: Version = NEWEST
) -> Costed | None:
    """The swizzle or padding of least wavefronts for all uses, then of least instructions, then the simplest.

    None where none fits.
    """
    elements = 1
    for size in uses[0].shape:
        elements *= size
    if elements > _MOST_ELEMENTS:
        return None
    tried = candidates(uses[0].shape, element_bits(buffer.element) or 32)
    found = (cost(buffer, encoding, uses, support, version) for encoding in tried)
    fitting = (each for each in found if each is not None)
    return min(fitting, key=lambda each: (each.wavefronts, each.requests), default=None)


def candidates(shape: Sequence[int], bits: int) -> Iterator[Encoding]:
    """Swizzles, then paddings, simplest first, with every order of the last two dimensions."""
    rank, most = len(shape), max(_VECTOR_BYTES * 8 // bits, 1)
    for order in _orders(rank):
        row = shape[order[0]]
        yield SwizzledSharedEncoding(1, 1, 1, order)
        for vec in _powers(most):
            for phases in _powers(min(32, row // vec)):
                for per_phase in _powers(4):
                    if phases > 1 and rank > 1:
                        yield SwizzledSharedEncoding(vec, per_phase, phases, order)
        for pad in (p for p in _powers(8 * most) if p * bits % 32 == 0):
            yield PaddedSharedEncoding(((row, pad),), _identity(shape, order))


def _orders(rank: int) -> list[tuple[int, ...]]:
    rest = tuple(range(rank - 3, -1, -1))
    last = tuple(range(max(rank - 2, 0), rank))
    return sorted(((*front, *rest) for front in permutations(last)), reverse=True)


def _powers(most: int) -> list[int]:
    return [1 << i for i in range(max(most, 1).bit_length())]


def _identity(shape: Sequence[int], order: Sequence[int]) -> Bases:
    return tuple(
        tuple(1 << bit if d == dim else 0 for d in range(len(shape)))
        for dim in order
        for bit in range(shape[dim].bit_length() - 1)
    )


def allocation_of(value: int, structure: Graph) -> Operation | None:
    """The allocation behind a buffer or a view of it."""
    maker = structure.makers.get(value)
    while maker is not None and row_of(maker) in (ttg.MEMDESC_INDEX, ttg.MEMDESC_TRANS):
        maker = structure.makers.get(maker.operands[0].index)
    return maker if maker is not None and row_of(maker) is ttg.LOCAL_ALLOC else None


def suggest(
    structure: Graph, buffer: int, support: MatrixSupport, version: Version = NEWEST
) -> tuple[Costed | None, Costed | None]:
    """(what the buffer costs now, the best layout found) for the buffer behind a value; None where unknown."""
    allocation = allocation_of(buffer, structure)
    of = None if allocation is None else allocation.results[0].type
    if allocation is None or not isinstance(of, MemDescType) or of.encoding is None:
        return None, None
    uses = uses_of(of, allocation, structure)
    if uses is None:
        return None, None
    now = cost(of, of.encoding, uses, support, version)
    tile = replace(of, shape=uses[0].shape, alloc_shape=())
    return now, best_layout(tile, uses, support, version)


def matrix_layout(buffer: MemDescType, use: Use, version: Version = NEWEST) -> Encoding | None:
    """A swizzle under which a use goes by ldmatrix or stmatrix; None if none does."""
    bits = element_bits(buffer.element) or 32
    for encoding in candidates(use.tensor.shape, bits):
        if not isinstance(encoding, SwizzledSharedEncoding) or encoding.vec * bits != _ROW_BITS:
            continue
        memory = memory_layout(MemDescType(use.tensor.shape, buffer.element, encoding, "shared"), version)
        transfer = choose_transfer(offsets_of(use.tensor, memory), memory.bits, use.store, True)
        if transfer.matrices and transfer.cost().total == transfer.cost().total_ideal:
            return encoding
    return None
