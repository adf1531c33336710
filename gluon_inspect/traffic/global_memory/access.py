"""The global accesses of a function: their vector width, and the traffic of everything that runs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from gluon_inspect.axis.analysis import AxisAnalysis
from gluon_inspect.axis.vector import mask_limit, pointer_limits, width
from gluon_inspect.errors import InspectError
from gluon_inspect.evaluate.arithmetic import plus, times
from gluon_inspect.evaluate.programs import Frame
from gluon_inspect.evaluate.values import AnyValue, Ints, Lanes, Unknown
from gluon_inspect.ir.operations import operand, row_of
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import program_layout
from gluon_inspect.model.access import Direction, VectorLimit
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import MemDescType, PointerType, TensorType, Type, element_bits
from gluon_inspect.traffic.global_memory.async_width import shared_vector
from gluon_inspect.traffic.global_memory.locality import Bools
from gluon_inspect.traffic.global_memory.requests import Traffic, count
from gluon_inspect.traffic.global_memory.tally import Tally
from gluon_inspect.traffic.placement import Placement, place


@dataclass(frozen=True, slots=True)
class Context:
    """What an access needs to know of its kernel."""

    target: Target
    axis: AxisAnalysis
    warps: int
    layouts: Mapping[Encoding, Encoding] = field(default_factory=dict[Encoding, Encoding])
    """What if: each of these encodings replaced by another."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedExecution:
    """One execution by one program: `vector` elements a lane an instruction, `access_bytes` in all of them.

    `addresses` in bytes, of shape (warps of all CTAs, instructions, lanes); `active` lanes broadcast to it.
    """

    vector: int
    access_bytes: int
    addresses: Ints
    active: Bools
    traffic: Traffic


class GlobalAccess:
    """One operation that touches global memory."""

    def __init__(self, op: Operation, context: Context) -> None:
        row = row_of(op).lanes
        if row is None:
            raise ValueError(op.name)
        self.op, self.row, self.context = op, row, context
        move = row_of(op).shared
        self._filled = move.buffer if move is not None and move.is_store else ""
        self.tally = Tally(max(1, (self.element_bits or 8) // 8))

    @property
    def direction(self) -> Direction:
        """Seen from global memory."""
        return self.row.direction

    @cached_property
    def address(self) -> Value:
        """The operand with the addresses: pointers, or the offsets of a buffer operation."""
        role = self.row.offsets or self.row.address
        found = operand(self.op, role)
        if found is None:
            raise LookupError(f"{self.op.name}: the parser's table names no operand {role!r}")
        return found

    @cached_property
    def mask(self) -> Value | None:
        """The mask operand, if there is one."""
        return operand(self.op, self.row.mask)

    @cached_property
    def tensor(self) -> TensorType | None:
        """The type of the addresses; None for a scalar access."""
        of = self.address.type
        return of if isinstance(of, TensorType) else None

    @cached_property
    def encoding(self) -> Encoding | None:
        """The encoding of the addresses, replaced where the context says so."""
        own = self.tensor.encoding if self.tensor is not None else None
        return None if own is None else self.context.layouts.get(own, own)

    @cached_property
    def element_bits(self) -> int | None:
        """Bits of one element in memory; None where the type does not say."""
        pointer = operand(self.op, self.row.address)
        of: Type = self.address.type if pointer is None else pointer.type
        inner = of.element if isinstance(of, TensorType) else of
        return element_bits(inner.pointee) if isinstance(inner, PointerType) else None

    @cached_property
    def layout(self) -> LinearLayout | None:
        """The linear layout of the addresses; None for scalars and encodings that are not understood."""
        encoding = self.encoding
        if self.tensor is None or encoding is None:
            return None
        try:
            return program_layout(encoding, self.tensor.shape)
        except InspectError as error:
            self.tally.unknown = f"layout: {error.message}"
            return None

    @cached_property
    def limits(self) -> tuple[VectorLimit, ...]:
        """Every bound on the vector width, in elements."""
        return () if self.layout is None else self._limits_in(self.layout)

    def _limits_in(self, layout: LinearLayout) -> tuple[VectorLimit, ...]:
        bits = self.element_bits
        if bits is None:
            return ()
        axis, target = self.context.axis, self.context.target
        is_pointer = not self.row.offsets
        limits = pointer_limits(
            layout,
            axis[self.address],
            max(1, bits // 8),
            target.max_vector_bytes,
            is_pointer=is_pointer,
        )
        if self.mask is not None and isinstance(self.mask.type, TensorType):
            limits += (mask_limit(layout, axis[self.mask]),)
        if self._filled:
            limits += self._shared_limit(layout)
        return limits

    def _shared_limit(self, layout: LinearLayout) -> tuple[VectorLimit, ...]:
        target = operand(self.op, self._filled)
        memory = target.type if target is not None else None
        if not isinstance(memory, MemDescType) or memory.encoding is None:
            return ()
        elements = shared_vector(layout, memory)
        return (VectorLimit("shared", elements, "neighbours in shared memory"),) if elements else ()

    @cached_property
    def vector(self) -> int:
        """Elements that a lane moves by one instruction."""
        return self._widest(self.limits)

    def _widest(self, limits: tuple[VectorLimit, ...]) -> int:
        hint = self.op.attributes.get("contiguity")
        found = width(limits) if limits else 1
        if limits and isinstance(hint, int) and hint > found and self._filled:
            hard = [limit for limit in limits if limit.kind in ("hardware", "shared", "layout")]
            found = min(hint, width(tuple(hard)))
        return found

    @cached_property
    def placement(self) -> Placement | None:
        """Where the elements sit, instruction by instruction."""
        layout = self.layout
        return None if layout is None else place(layout, self.vector)

    def placed_in(self, layout: LinearLayout) -> PlacedExecution | None:
        """The first execution that was seen, as if its tensor lay in `layout`.

        None where its addresses are unknown, and for layouts of another number of elements.
        """
        sample = self.tally.sample
        if sample is None or self.tensor is None or sample.row.size != layout.elements:
            return None
        vector, target = self._widest(self._limits_in(layout)), self.context.target
        placement = place(layout, vector)
        addresses = sample.row.reshape(-1)[placement.first] + sample.base
        mask = np.ones(1, np.bool_) if sample.mask is None else sample.mask.reshape(-1)[placement.first] != 0
        active = np.asarray(mask & placement.owns if self.row.once else mask)
        access_bytes = vector * self.tally.element_bytes
        traffic = count(addresses, active, access_bytes, target.sector_bytes, target.line_bytes)
        return PlacedExecution(vector, access_bytes, addresses, active, traffic)

    def observe(self, frame: Frame) -> None:
        """Count one execution by all instances of a frame."""
        self.tally.executions += frame.size
        if frame.reason:
            self.tally.unknown = frame.reason
            return
        address, mask = self._address(frame), self._mask(frame)
        for value in (address, mask):
            if isinstance(value, Unknown):
                self.tally.unknown = value.reason
                return
        if self.element_bits is None:
            self.tally.unknown = "the element's size is not known"
        elif isinstance(address, Lanes):
            self._observe_tensor(address, mask, frame)
        else:
            self._observe_scalar(address, mask, frame)

    def _observe_tensor(self, address: Lanes, mask: AnyValue | None, frame: Frame) -> None:
        if self.placement is None:
            self.tally.unknown = self.tally.unknown or "the layout is not known"
            return
        lanes = mask if isinstance(mask, Lanes) else None
        self.tally.add_tensor(address, lanes, frame.size, self.placement, self.context.target, once=self.row.once)

    def _observe_scalar(self, address: AnyValue, mask: AnyValue | None, frame: Frame) -> None:
        if isinstance(address, Lanes | Unknown) or isinstance(mask, Lanes | Unknown):
            return
        warps, lanes = (1, 1) if self.row.once else (self.context.warps, self.context.target.warp_size)
        self.tally.add_scalar(address, mask, frame.size, warps, lanes)

    def _mask(self, frame: Frame) -> AnyValue | None:
        return None if self.mask is None else frame.get(self.mask)

    def _address(self, frame: Frame) -> AnyValue:
        found = frame.get(self.address)
        base = operand(self.op, self.row.address)
        if not self.row.offsets or base is None or isinstance(found, Unknown):
            return found
        start = frame.get(base)
        if isinstance(start, Unknown):
            return start
        return plus(start, times(found, max(1, (self.element_bits or 8) // 8)))


def find_accesses(
    operations: Iterable[Operation], context: Context, partitions: Mapping[int, int] | None = None
) -> Mapping[int, GlobalAccess]:
    """The global accesses among operations, by their span start.

    `partitions`: warps of the operations that not all of the kernel's warps run, by span start.
    """
    inner = {warps: replace(context, warps=warps) for warps in (partitions or {}).values()}
    own = {start: inner[warps] for start, warps in (partitions or {}).items()}
    found = (op for op in operations if row_of(op).lanes is not None)
    return {op.span.start: GlobalAccess(op, own.get(op.span.start, context)) for op in found}
