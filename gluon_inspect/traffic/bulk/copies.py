"""The bulk copies of a function: what everything that runs them moves through TMA."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from gluon_inspect.errors import LayoutError
from gluon_inspect.evaluate.arithmetic import binary
from gluon_inspect.evaluate.descriptors import Descriptor, Descriptors, scalars
from gluon_inspect.evaluate.programs import Frame
from gluon_inspect.evaluate.values import AnyValue, Ints, Lanes, Unknown, as_array, folded, tabled, take
from gluon_inspect.ir.operations import operand, operands_of, row_of
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import DescriptorType, MemDescType, TensorType, element_bits
from gluon_inspect.traffic.bulk.box import Boxes, boxes
from gluon_inspect.traffic.bulk.pixels import PixelCopy, count_pixels
from gluon_inspect.traffic.bulk.tally import BulkTally

_MOST_ROWS = 1 << 24


class BulkAccess:
    """One copy of boxes between global and shared memory: an operation's `part`th, where it has several."""

    def __init__(self, op: Operation, descriptors: Descriptors, target: Target, part: int = 0) -> None:
        row = row_of(op).bulk
        if row is None:
            raise ValueError(op.name)
        self.op, self.row, self.target, self._part = op, row, target, part
        self._descriptors = descriptors
        self.tally = BulkTally(self.element_bytes, target.sector_bytes)

    @cached_property
    def descriptor(self) -> Value | None:
        """The operand that is the descriptor."""
        return self._of_part("desc")

    def _of_part(self, role: str) -> Value | None:
        found = operands_of(self.op, role)
        return found[self._part] if self._part < len(found) else None

    @property
    def type(self) -> DescriptorType | None:
        """The descriptor's type: its block and the shared layout it was made for."""
        of = None if self.descriptor is None else self.descriptor.type
        return of if isinstance(of, DescriptorType) else None

    @cached_property
    def buffer(self) -> MemDescType | None:
        """The type of the shared buffer; None before lowering."""
        found = self._of_part(self.row.buffer)
        return found.type if found is not None and isinstance(found.type, MemDescType) else None

    @property
    def element_bytes(self) -> int:
        """Bytes of one element in memory."""
        of = self.type
        return max(1, (None if of is None else element_bits(of) or 8) or 8) // 8 or 1

    @property
    def is_im2col(self) -> bool:
        """Whether it copies by pixels of a convolution's window."""
        return self.type is not None and "im2col" in self.type.kind

    @property
    def multicast(self) -> bool:
        """Whether one read serves all CTAs of the cluster that want it."""
        return "multicast" in self.op.attributes

    @cached_property
    def boxes(self) -> Boxes | None:
        """The boxes of one execution; None with the reason in the tally."""
        of = self.type
        if of is None:
            self.tally.unknown = "no descriptor with a type"
            return None
        encoding = of.encoding or (self.buffer.encoding if self.buffer else None)
        try:
            return boxes(self._tile(of), encoding, gathers=bool(self.row.rows), pixels=self.is_im2col)
        except LayoutError as error:
            self.tally.unknown = error.message
            return None

    def _tile(self, of: DescriptorType) -> tuple[int, ...]:
        """What one execution moves: the descriptor's block, or all rows of a gather."""
        if not self.row.rows:
            return of.shape
        rows = operand(self.op, self.row.rows)
        count = rows.type.shape[0] if rows is not None and isinstance(rows.type, TensorType) else of.shape[0]
        return (count, *of.shape[1:])

    @property
    def reads(self) -> int:
        """How often a cluster touches each element of global memory."""
        found = self.boxes
        return 1 if found is None or self.multicast or not self.row.is_load else found.copies

    def observe(self, frame: Frame) -> None:
        """Count one execution by all instances of a frame."""
        if frame.reason:
            self.tally.executions_unknown = self.tally.unknown = frame.reason
            return
        active = self._active(frame)
        if isinstance(active, Unknown):
            self.tally.executions_unknown = self.tally.unknown = active.reason
            return
        count = frame.size if active is None else len(active)
        self.tally.executions += count
        if self.tally.unknown or not count or self.boxes is None:
            return
        reason = self._move(frame, active, count, self.boxes)
        self.tally.unknown = self.tally.unknown or reason

    def _active(self, frame: Frame) -> Ints | Unknown | None:
        """Instances whose predicate holds; None: all."""
        match self._condition(frame):
            case int() as value:
                return None if value else np.zeros(0, np.int64)
            case np.ndarray() as value:
                return np.flatnonzero(value)
            case Unknown() as value:
                return Unknown(f"predicate: {value.reason}")
            case _:
                return Unknown("a predicate that is a tensor")

    def _condition(self, frame: Frame) -> AnyValue:
        predicate = operand(self.op, self.row.predicate)
        value: AnyValue = 1 if predicate is None else frame.get(predicate)
        tensor = None if self.descriptor is None else self._descriptors.at(self.descriptor, frame.get)
        if not isinstance(tensor, Descriptor) or isinstance(tensor.enabled, int | Unknown):
            switch = tensor.enabled if isinstance(tensor, Descriptor) else 1
            return value if switch == 1 else switch
        return binary(lambda one, other: (one != 0) & (other != 0), value, tensor.enabled)

    def _move(self, frame: Frame, active: Ints | None, count: int, cut: Boxes) -> str:
        """Add the traffic; why it could not be, in words."""

        def get(value: Value) -> AnyValue:
            found = frame.get(value)
            return found if active is None else take(found, active)

        if self.descriptor is None:
            return "no descriptor"
        tensor = self._descriptors.at(self.descriptor, get)
        if isinstance(tensor, Unknown):
            return tensor.reason
        corner = [get(value) for value in operands_of(self.op, self.row.coordinates)]
        if self.is_im2col:
            return self._pixels(
                tensor, corner, [get(value) for value in operands_of(self.op, "offsets")], count, cut
            )
        if len(tensor.shape) != len(cut.tile):
            return "a descriptor of another rank than its block"
        if self.row.rows:
            rows = operand(self.op, self.row.rows)
            return self._gather(tensor, corner[-1:], None if rows is None else get(rows), count, cut)
        return self._copy(tensor, corner, count, cut)

    def _copy(self, tensor: Descriptor, corner: list[AnyValue], count: int, cut: Boxes) -> str:
        known = scalars(corner or [0] * len(cut.tile), "coordinate")
        if isinstance(known, Unknown):
            return known.reason
        if len(known) != len(cut.tile):
            return "a coordinate is missing"
        self.tally.add(tensor.base, tensor.shape, tensor.strides, known, cut.tile, cut.box, count)
        return ""

    def _pixels(
        self, tensor: Descriptor, corner: list[AnyValue], offsets: list[AnyValue], count: int, cut: Boxes
    ) -> str:
        if tensor.pixels is None:
            return "im2col: the descriptor's pixel box is not recorded"
        known, moved = scalars(corner, "coordinate"), scalars(offsets, "coordinate")
        if isinstance(known, Unknown):
            return known.reason
        if isinstance(moved, Unknown):
            return moved.reason
        if not len(cut.tile) == len(cut.share) == len(cut.box) == 2:
            return "im2col: a block that is not pixels by channels"
        return count_pixels(self.tally, tensor, tensor.pixels, PixelCopy(known, moved, cut, count))

    def _gather(
        self, tensor: Descriptor, column: list[AnyValue], rows: AnyValue | None, count: int, cut: Boxes
    ) -> str:
        if not isinstance(rows, Lanes):
            return rows.reason if isinstance(rows, Unknown) else "row numbers that are no tensor"
        at = column[0] if column else 0
        if isinstance(at, Unknown | Lanes):
            return at.reason if isinstance(at, Unknown) else "a column that is a tensor"
        if count * cut.tile[0] > _MOST_ROWS:
            return "too many rows to count"
        numbers = tabled(folded(rows))
        index = np.zeros(count, np.int64) if numbers.index is None else numbers.index
        table = np.broadcast_to(numbers.table, (numbers.table.shape[0], cut.tile[0]))
        self.tally.add_rows(
            tensor.base,
            tensor.shape,
            tensor.strides[0],
            table[index],
            as_array(at, count),
            cut.tile[1],
            cut.box[1],
        )
        return ""


def find_bulk(
    operations: Iterable[Operation], descriptors: Descriptors, target: Target
) -> Mapping[int, tuple[BulkAccess, ...]]:
    """The bulk copies among operations, by their span start: one a descriptor."""
    found = (op for op in operations if row_of(op).bulk is not None)
    return {
        op.span.start: tuple(
            BulkAccess(op, descriptors, target, part) for part in range(max(len(operands_of(op, "desc")), 1))
        )
        for op in found
    }
