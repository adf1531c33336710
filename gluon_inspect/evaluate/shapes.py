"""Operations that make tensors or move their elements, over all instances at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gluon_inspect.evaluate.values import AnyValue, Lanes, Unknown, constant, folded, splat
from gluon_inspect.ir.operations import arith, row_of, tt
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.model.mlir import DenseElements, Operation, Value
from gluon_inspect.model.types import TensorType

Row = Callable[[Operation, list[Any]], AnyValue]


def _result_shape(op: Operation) -> tuple[int, ...]:
    of = op.results[0].type
    return of.shape if isinstance(of, TensorType) else ()


_WORD = range(-(1 << 63), 1 << 64)
"""What an integer of up to 64 bits can be, with or without a sign."""


def _constant(op: Operation, _args: list[Any]) -> AnyValue:
    value = op.attributes.get("value")
    numbers = value.values if isinstance(value, DenseElements) else (value,)
    if not all(isinstance(one, bool | int) and int(one) in _WORD for one in numbers):
        return Unknown("constant that is no integer of 64 bits")
    if not isinstance(value, DenseElements):
        return _signed(numbers[0])
    shape = _result_shape(op)
    if value.is_splat:
        return splat(_signed(numbers[0]), shape)
    return constant(np.array([_signed(one) for one in numbers], np.int64).reshape(shape))


def _signed(number: Any) -> int:
    """As two's complement of 64 bits has it."""
    whole = int(number)
    return whole - (1 << 64) if whole >= 1 << 63 else whole


def _make_range(op: Operation, _args: list[Any]) -> AnyValue:
    start, end = op.attributes.get("start"), op.attributes.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        return Unknown("range without bounds")
    return constant(np.arange(start, end, dtype=np.int64))


def _splat(op: Operation, args: list[Any]) -> AnyValue:
    return splat(args[0], _result_shape(op)) if not isinstance(args[0], Lanes) else args[0]


def _unsplat(_op: Operation, args: list[Any]) -> AnyValue:
    value = folded(args[0])
    first = value.table.reshape(value.table.shape[0], -1)[:, 0]
    return value.base + (int(first[0]) if value.index is None else first[value.index])


def _expand_dims(op: Operation, args: list[Any]) -> AnyValue:
    axis, value = op.attributes.get("axis"), args[0]
    if not isinstance(axis, int):
        return Unknown("expand_dims without axis")
    return Lanes(_result_shape(op), value.base, np.expand_dims(value.table, axis + 1), value.index)


def _broadcast(op: Operation, args: list[Any]) -> AnyValue:
    value = args[0]
    return Lanes(_result_shape(op), value.base, value.table, value.index)


def _trans(op: Operation, args: list[Any]) -> AnyValue:
    order, value = op.attributes.get("order"), args[0]
    if not isinstance(order, tuple):
        return Unknown("transposition without order")
    axes = (0, *(int(o) + 1 for o in order if isinstance(o, int)))
    return Lanes(_result_shape(op), value.base, np.transpose(value.table, axes), value.index)


def _reshape(op: Operation, args: list[Any]) -> AnyValue:
    value, shape = args[0], _result_shape(op)
    if "allow_reorder" in op.attributes and op.attributes["allow_reorder"] is not False:
        return Unknown("reshape that may reorder")
    if value.is_splat:
        table = value.table.reshape((value.table.shape[0], *(1,) * len(shape)))
    else:
        full = np.broadcast_to(value.table, (value.table.shape[0], *value.shape))
        table = full.reshape((value.table.shape[0], *shape))
    return Lanes(shape, value.base, table, value.index)


ROWS: dict[OperationRow, Row] = {
    arith.CONSTANT: _constant,
    tt.MAKE_RANGE: _make_range,
    tt.SPLAT: _splat,
    tt.UNSPLAT: _unsplat,
    tt.EXPAND_DIMS: _expand_dims,
    tt.BROADCAST: _broadcast,
    tt.TRANS: _trans,
    tt.RESHAPE: _reshape,
}


def compute(op: Operation, args: list[AnyValue]) -> AnyValue:
    """The result of a shape operation; Unknown where an operand is. KeyError: not one of ROWS."""
    for arg in args:
        if isinstance(arg, Unknown):
            return arg
    return ROWS[row_of(op)](op, [_as_tensor(v, arg) for v, arg in zip(op.operands, args, strict=True)])


def _as_tensor(operand: Value, value: AnyValue) -> AnyValue:
    """A tensor that some operation left as one number (all its elements are the same) as a tensor again."""
    if isinstance(operand.type, TensorType) and not isinstance(value, Lanes | Unknown):
        return splat(value, operand.type.shape)
    return value
