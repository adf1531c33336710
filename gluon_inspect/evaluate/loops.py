"""scf.for over all instances at once: trip counts, and carried values in closed form where they have one.

Most loops carry values that grow by the same amount each time (`pointer += stride`), or none that
matters for an address. Then all iterations of all instances run together, as more instances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gluon_inspect.evaluate.arithmetic import plus, times
from gluon_inspect.evaluate.values import (
    AnyValue,
    Ints,
    Lanes,
    Scalar,
    Unknown,
    add,
    splat,
    take,
)
from gluon_inspect.ir.operations import arith, row_of, scf, tt
from gluon_inspect.model.mlir import Block, Operation, Value
from gluon_inspect.model.types import PointerType, TensorType, element_bits

Getter = Callable[[Value], AnyValue]
Increments = dict[int, "AnyValue | None"]
"""By position of the carried value: what is added each iteration; None: not needed for any address."""


class HasValues(Protocol):
    """A frame, as far as a loop writes to it."""

    values: dict[int, AnyValue]


@dataclass(slots=True, eq=False)
class ForLoop:
    """One scf.for in one frame. `trips` None: unknown, with the reason."""

    op: Operation
    body: Block
    initial: tuple[Value, ...]
    carried: tuple[Value, ...]
    needed: tuple[bool, ...]
    lower: AnyValue
    step: AnyValue
    trips: Scalar | None
    reason: str
    starts: tuple[AnyValue, ...]

    @staticmethod
    def of(op: Operation, get: Getter, wanted: frozenset[int]) -> ForLoop:
        """Read a loop's bounds in a frame."""
        body = op.regions[0].blocks[0]
        lower, upper, step = (get(value) for value in op.operands[:3])
        trips, reason = _trips(lower, upper, step)
        carried = body.arguments[1:]
        needed = tuple(
            argument.index in wanted or result.index in wanted
            for argument, result in zip(carried, op.results, strict=False)
        )
        initial = op.operands[3 : 3 + len(carried)]
        return ForLoop(
            op, body, initial, carried, needed, lower, step, trips, reason, tuple(get(v) for v in initial)
        )

    def enter(self, frame: HasValues, iteration: Ints, origin: Ints, increments: Increments) -> None:
        """Set the body's arguments for instances `origin`, each in its `iteration`."""
        start, step = take(self.lower, origin), take(self.step, origin)
        frame.values[self.body.arguments[0].index] = plus(start, times(step, iteration))
        for position, argument in enumerate(self.carried):
            increment = increments.get(position)
            value = take(self.starts[position], origin)
            if increment is not None and not isinstance(value, Unknown):
                value = _advanced(value, take(increment, origin), iteration)
            elif position in increments:
                value = Unknown("a carried value that feeds no address")
            frame.values[argument.index] = value

    def leave(self, frame: HasValues, trips: Ints, increments: Increments) -> None:
        """Set the loop's results in the frame around it."""
        for position, result in enumerate(self.op.results):
            increment, start = increments.get(position), self.starts[position]
            if position not in increments or isinstance(start, Unknown):
                frame.values[result.index] = start
            elif increment is None:
                frame.values[result.index] = Unknown("a carried value that feeds no address")
            else:
                frame.values[result.index] = _advanced(start, increment, trips)

    def enter_step(self, frame: HasValues, step: int, active: Ints | None, state: list[AnyValue]) -> None:
        """Set the body's arguments for one iteration of the instances still `active`."""
        induction = plus(self.lower, times(self.step, step))
        values = [induction, *state]
        for argument, value in zip(self.body.arguments, values, strict=False):
            frame.values[argument.index] = value if active is None else take(value, active)

    def merged(self, old: list[AnyValue], new: list[AnyValue], active: Ints, size: int) -> list[AnyValue]:
        """Carried values after an iteration: new ones where it ran, old ones elsewhere."""
        if len(active) == size:
            return new
        idle = np.setdiff1d(np.arange(size), active, assume_unique=True)
        return [
            self.interleave(value, take(before, idle), active, idle, size)
            for value, before in zip(new, old, strict=False)
        ]

    @staticmethod
    def interleave(
        left: AnyValue, right: AnyValue, left_at: Ints | None, right_at: Ints | None, size: int
    ) -> AnyValue:
        """One value from two parts: `left` at instances `left_at`, `right` at `right_at`."""
        if left_at is None or right_at is None:
            return left if right_at is None else right
        if isinstance(left, Lanes) and isinstance(right, Lanes):
            return _interleave_lanes(left, right, left_at, right_at, size)
        if isinstance(left, Lanes) or isinstance(right, Lanes):
            return Unknown("a value that is a tensor on one path only")
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            return left if isinstance(left, Unknown) else right
        whole = np.empty(size, np.int64)
        whole[left_at], whole[right_at] = left, right
        return whole


def _interleave_lanes(left: Lanes, right: Lanes, left_at: Ints, right_at: Ints, size: int) -> Lanes:
    base = np.empty(size, np.int64)
    base[left_at], base[right_at] = left.base, right.base
    if left.table is right.table and left.index is None and right.index is None:
        return Lanes(left.shape, base, left.table, None)
    dims = np.broadcast_shapes(left.table.shape[1:], right.table.shape[1:])
    tables = [np.broadcast_to(t, (t.shape[0], *dims)) for t in (left.table, right.table)]
    index = np.zeros(size, np.int64)
    index[left_at] = 0 if left.index is None else left.index
    index[right_at] = (0 if right.index is None else right.index) + left.table.shape[0]
    return Lanes(left.shape, base, np.concatenate(tables), index)


def _trips(lower: AnyValue, upper: AnyValue, step: AnyValue) -> tuple[Scalar | None, str]:
    for bound in (lower, upper, step):
        if isinstance(bound, Unknown):
            return None, f"loop bound: {bound.reason}"
        if isinstance(bound, Lanes):
            return None, "loop bound is a tensor"
    if np.any(np.asarray(step) <= 0):
        return None, "loop step is not positive"
    trips = np.maximum(0, -(-(np.asarray(upper) - np.asarray(lower)) // np.asarray(step)))
    return (trips.astype(np.int64) if trips.ndim else int(trips)), ""


def _advanced(start: AnyValue, increment: AnyValue, times_added: Ints) -> AnyValue:
    """start + increment * times_added, one entry an instance."""
    if isinstance(start, Unknown) or isinstance(increment, Unknown):
        return start if isinstance(start, Unknown) else increment
    if isinstance(start, Lanes):
        if isinstance(increment, Lanes):
            if increment.is_splat and increment.index is None:
                each = increment.base + int(increment.table.flat[0])
                return add(start, splat(each * times_added, start.shape))
            return Unknown("a tensor of different increments")
        return add(start, splat(increment * times_added, start.shape))
    return plus(start, times(increment, times_added))


def closed_form(loop: ForLoop, get: Getter) -> Increments | None:
    """The increment of every carried value, or None if one that matters has no closed form."""
    if not loop.body.operations or loop.body.operations[-1].name != scf.YIELD.name:
        return {} if not loop.carried else None
    yielded = loop.body.operations[-1].operands
    inside = {result.index: op for op in loop.body.operations for result in op.results}
    increments: Increments = {}
    for position, (argument, value) in enumerate(zip(loop.carried, yielded, strict=False)):
        if not loop.needed[position]:
            increments[position] = None
            continue
        if value.index == argument.index:
            continue
        increment = _increment(inside.get(value.index), argument, inside, loop, get)
        if increment is None or isinstance(increment, Unknown):
            return None
        if isinstance(increment, Lanes) and not (increment.is_splat and increment.index is None):
            return None
        increments[position] = increment
    return increments


def _increment(
    op: Operation | None, argument: Value, inside: dict[int, Operation], loop: ForLoop, get: Getter
) -> AnyValue | None:
    if op is None or row_of(op) not in (arith.ADDI, tt.ADDPTR):
        return None
    left, right = op.operands
    if left.index != argument.index:
        left, right = (right, left) if row_of(op) is arith.ADDI else (left, right)
    own = {value.index for value in loop.body.arguments}
    if left.index != argument.index or right.index in own:
        return None
    added = _constant_inside(inside.get(right.index)) if right.index in inside else get(right)
    if added is None or isinstance(added, Unknown) or row_of(op) is arith.ADDI:
        return added
    return times(added, _pointee_bytes(argument) or 0)


def _constant_inside(op: Operation | None) -> AnyValue | None:
    """A constant may stand in the body; nothing else there is invariant for sure."""
    if op is None:
        return None
    value = op.attributes.get("value")
    if row_of(op) is arith.CONSTANT and isinstance(value, int):
        return int(value)
    return None


def _pointee_bytes(value: Value) -> int | None:
    inner = value.type.element if isinstance(value.type, TensorType) else value.type
    bits = element_bits(inner.pointee) if isinstance(inner, PointerType) else None
    return None if bits is None else max(1, bits // 8)
