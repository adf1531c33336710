"""What integer and pointer operations compute, over all instances at once: one table row an operation.

Only operations that can feed an address, a mask or a loop bound stand here; every other result is
unknown. Integers wrap as the IR's types say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gluon_inspect.evaluate.values import (
    AnyValue,
    Ints,
    Lanes,
    Scalar,
    Unknown,
    add,
    as_array,
    bounds,
    elementwise,
    scale,
    splat,
)
from gluon_inspect.ir.operations import arith, gluon, row_of, tt, ttg
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.predicates import PREDICATES, compare
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import PointerType, ScalarType, TensorType, Type, element_bits

Row = Callable[[Operation, list[Any]], AnyValue]


def integer_bits(of: Type) -> int | None:
    """Bits of an integer type or integer tensor; None of floats and others."""
    inner = of.element if isinstance(of, TensorType) else of
    if isinstance(inner, PointerType):
        return 64
    if isinstance(inner, ScalarType) and not inner.is_float:
        return inner.bits
    return None


def wrapped(value: AnyValue, bits: int | None) -> AnyValue:
    """A value brought back into the signed range of `bits`; i1 stays 0 or 1."""
    if bits is None or bits >= 64 or isinstance(value, Unknown):
        return value
    if bits == 1:
        return _map1(lambda x: x & 1, value)
    half = 1 << (bits - 1)
    if _fits(value, -half, half - 1):
        return value
    return _map1(lambda x: ((x + half) & (2 * half - 1)) - half, value)


def _fits(value: Any, low: int, high: int) -> bool:
    if isinstance(value, Lanes):
        smallest, largest = bounds(value)
    elif isinstance(value, int):
        smallest = largest = value
    else:
        smallest, largest = (int(value.min()), int(value.max())) if value.size else (0, 0)
    return low <= smallest and largest <= high


def _map1(function: Callable[[Any], Any], value: Any) -> AnyValue:
    if isinstance(value, Lanes):
        if value.is_splat and value.index is None:
            base = value.base + int(value.table.flat[0])
            return splat(_plain(function(base)), value.shape)
        return elementwise(function, value)
    return _plain(function(value))


def _plain(value: Any) -> Scalar:
    array = np.asarray(value, np.int64)
    return array if array.ndim else int(array)


def _scalar_of(value: Any) -> Scalar | None:
    """The scalar that a value amounts to, if all its elements are the same."""
    if isinstance(value, Lanes):
        if value.is_splat and value.index is None:
            return value.base + int(value.table.flat[0])
        return None
    return value


def binary(function: Callable[[Any, Any], Any], left: Any, right: Any) -> AnyValue:
    """A NumPy function of two values, by the cheapest representation that holds the result."""
    if not isinstance(left, Lanes) and not isinstance(right, Lanes):
        return _plain(function(left, right))
    shape = left.shape if isinstance(left, Lanes) else right.shape
    a, b = _scalar_of(left), _scalar_of(right)
    if a is not None and b is not None:
        return splat(_plain(function(a, b)), shape)
    return elementwise(function, _lanes(left, shape), _lanes(right, shape))


def _lanes(value: Any, shape: tuple[int, ...]) -> Lanes:
    return value if isinstance(value, Lanes) else splat(value, shape)


def plus(left: Any, right: Any, sign: int = 1) -> AnyValue:
    """left + sign * right."""
    if isinstance(left, Lanes) or isinstance(right, Lanes):
        shape = left.shape if isinstance(left, Lanes) else right.shape
        return add(_lanes(left, shape), _lanes(right, shape), sign)
    return _plain(left + sign * right)


def times(left: Any, right: Any) -> AnyValue:
    """left * right; a factor that is one integer keeps the other's representation."""
    for one, other in ((left, right), (right, left)):
        factor = _scalar_of(one)
        if isinstance(factor, int) and isinstance(other, Lanes):
            return scale(other, factor)
    return binary(np.multiply, left, right)


def _truncated_divide(left: Any, right: Any) -> Any:
    left, right = np.asarray(left, np.int64), np.asarray(right, np.int64)
    safe = np.where(np.equal(right, 0), 1, right)
    quotient: Ints = np.abs(left) // np.abs(safe)
    return np.where(np.equal(right, 0), 0, np.where((left < 0) == (safe < 0), quotient, -quotient))


def _remainder(left: Any, right: Any) -> Any:
    return left - _truncated_divide(left, right) * right


def divide(left: Any, right: Any) -> AnyValue:
    """Division that rounds towards zero. By a positive constant the base divides apart from the rest."""
    k = _scalar_of(right)
    if isinstance(left, Lanes) and isinstance(k, int) and k > 0 and bounds(left)[0] >= 0:
        inner = Lanes(left.shape, left.base % k, left.table, left.index)
        quotient = binary(np.floor_divide, inner, k)
        return plus(quotient, left.base // k)
    return binary(_truncated_divide, left, right)


def modulo(left: Any, right: Any) -> AnyValue:
    """Remainder of division towards zero; by a positive constant the base is reduced first."""
    k = _scalar_of(right)
    if isinstance(left, Lanes) and isinstance(k, int) and k > 0 and bounds(left)[0] >= 0:
        inner = Lanes(left.shape, left.base % k, left.table, left.index)
        return binary(np.mod, inner, k)
    return binary(_remainder, left, right)


def bit_and(left: Any, right: Any) -> AnyValue:
    """Bitwise and; with 2^n - 1 it is a remainder."""
    for one, other in ((left, right), (right, left)):
        mask = _scalar_of(one)
        if isinstance(mask, int) and mask > 0 and mask & (mask + 1) == 0 and isinstance(other, Lanes):
            return modulo(other, mask + 1) if bounds(other)[0] >= 0 else binary(np.bitwise_and, left, right)
    return binary(np.bitwise_and, left, right)


def compared(predicate: str, left: Any, right: Any, bits: int) -> AnyValue:
    """left predicate right as 0 or 1. The difference is clipped first, so that few classes remain."""
    if predicate.startswith("u") and not (_fits(left, 0, 1 << 62) and _fits(right, 0, 1 << 62)):
        left, right = (_map1(lambda x: x & ((1 << min(bits, 62)) - 1), side) for side in (left, right))
    if not isinstance(left, Lanes) and not isinstance(right, Lanes):
        return _plain(np.asarray(compare(predicate, left, right), np.int64))
    difference = plus(left, right, -1)
    if not isinstance(difference, Lanes):
        return Unknown("comparison of unlike values")
    if isinstance(difference.base, np.ndarray):
        reach = int(np.abs(difference.table).max()) + 1
        clipped = np.clip(difference.base, -reach, reach)
        difference = Lanes(difference.shape, clipped, difference.table, difference.index)
    return _map1(lambda d: np.asarray(compare(predicate, d, 0), np.int64), difference)


def _pointee_bytes(of: Type) -> int | None:
    inner = of.element if isinstance(of, TensorType) else of
    bits = element_bits(inner.pointee) if isinstance(inner, PointerType) else None
    return None if bits is None else max(1, bits // 8)


def _addptr(op: Operation, args: list[Any]) -> AnyValue:
    size = _pointee_bytes(op.operands[0].type)
    if size is None:
        return Unknown(f"pointer to {op.operands[0].type}")
    return plus(args[0], times(args[1], size))


def _cmpi(op: Operation, args: list[Any]) -> AnyValue:
    predicate = op.attributes.get("predicate")
    if not isinstance(predicate, str) or predicate not in PREDICATES:
        return Unknown(f"comparison predicate {predicate}")
    return compared(predicate, args[0], args[1], integer_bits(op.operands[0].type) or 64)


def select(condition: Any, left: Any, right: Any) -> AnyValue:
    """`left` where the condition holds, else `right`."""
    choice = _scalar_of(condition)
    if isinstance(choice, int):
        return left if choice else right
    args = (condition, left, right)
    if not any(isinstance(arg, Lanes) for arg in args):
        return _plain(np.where(np.asarray(condition) != 0, left, right))
    shape = next(arg.shape for arg in args if isinstance(arg, Lanes))
    parts = [_lanes(arg, shape) for arg in args]
    return elementwise(_where, *parts)


def _where(condition: Ints, left: Ints, right: Ints) -> Ints:
    return np.where(condition != 0, left, right)


def _extui(op: Operation, args: list[Any]) -> AnyValue:
    bits = integer_bits(op.operands[0].type)
    if bits is None or bits >= 63 or _fits(args[0], 0, (1 << bits) - 1):
        return args[0]
    return _map1(lambda x: x & ((1 << bits) - 1), args[0])


def _extsi(op: Operation, args: list[Any]) -> AnyValue:
    # i1 is kept as 0 or 1 here, but its sign extension is 0 or -1
    return times(args[0], -1) if integer_bits(op.operands[0].type) == 1 else args[0]


def _shift_left(_op: Operation, args: list[Any]) -> AnyValue:
    amount = _scalar_of(args[1])
    return times(args[0], 1 << amount) if isinstance(amount, int) else binary(np.left_shift, *args)


def _shift_right(_op: Operation, args: list[Any]) -> AnyValue:
    amount = _scalar_of(args[1])
    if isinstance(amount, int) and isinstance(args[0], Lanes) and bounds(args[0])[0] >= 0:
        return divide(args[0], 1 << amount)
    return binary(np.right_shift, *args)


def _unsigned_only(function: Callable[[Any, Any], AnyValue]) -> Row:
    def row(_op: Operation, args: list[Any]) -> AnyValue:
        if all(_fits(arg, 0, 1 << 62) for arg in args):
            return function(*args)
        return Unknown("unsigned arithmetic on negative numbers")

    return row


def _of(function: Callable[[Any, Any], AnyValue]) -> Row:
    return lambda _op, args: function(*args)


def _numpy(function: Callable[[Any, Any], Any]) -> Row:
    return lambda _op, args: binary(function, args[0], args[1])


def _same(_op: Operation, args: list[Any]) -> AnyValue:
    return args[0]


ROWS: dict[OperationRow, Row] = {
    tt.ADDPTR: _addptr,
    arith.ADDI: _of(plus),
    arith.SUBI: lambda _op, args: plus(args[0], args[1], -1),
    arith.MULI: _of(times),
    arith.DIVSI: _of(divide),
    arith.DIVUI: _unsigned_only(divide),
    arith.REMSI: _of(modulo),
    arith.REMUI: _unsigned_only(modulo),
    arith.FLOORDIVSI: _numpy(np.floor_divide),
    arith.CEILDIVSI: lambda _op, args: binary(lambda a, b: -(-a // b), args[0], args[1]),
    arith.ANDI: _of(bit_and),
    arith.ORI: _numpy(np.bitwise_or),
    arith.XORI: _numpy(np.bitwise_xor),
    arith.SHLI: _shift_left,
    arith.SHRSI: _shift_right,
    arith.SHRUI: _unsigned_only(lambda a, b: binary(np.right_shift, a, b)),
    arith.MAXSI: _numpy(np.maximum),
    arith.MINSI: _numpy(np.minimum),
    arith.MAXUI: _unsigned_only(lambda a, b: binary(np.maximum, a, b)),
    arith.MINUI: _unsigned_only(lambda a, b: binary(np.minimum, a, b)),
    arith.CMPI: _cmpi,
    arith.SELECT: lambda _op, args: select(*args),
    arith.EXTUI: _extui,
    arith.EXTSI: _extsi,
    **dict.fromkeys(
        (
            arith.TRUNCI,
            arith.INDEX_CAST,
            arith.INDEX_CASTUI,
            tt.BITCAST,
            tt.PTR_TO_INT,
            tt.INT_TO_PTR,
            ttg.CONVERT_LAYOUT,
            gluon.SET_AUTO_LAYOUT,
        ),
        _same,
    ),
}


def compute(op: Operation, args: list[AnyValue], instances: int) -> AnyValue:
    """The result of an elementwise operation; Unknown where an operand is, or the operation is no row."""
    row = ROWS.get(row_of(op))
    if row is None:
        return Unknown(f"result of {op.name}")
    for arg in args:
        if isinstance(arg, Unknown):
            settled = _short_circuit(op, args, instances)
            return arg if settled is None else settled
    return wrapped(row(op, args), integer_bits(op.results[0].type))


def _short_circuit(op: Operation, args: list[AnyValue], _instances: int) -> AnyValue | None:
    """`x and false` is false whatever x is, where it is false in every instance."""
    if row_of(op) is not arith.ANDI or integer_bits(op.results[0].type) != 1:
        return None
    known = [arg for arg in args if not isinstance(arg, Unknown)]
    scalar = _scalar_of(known[0]) if known else None
    return known[0] if scalar is not None and not np.any(scalar) else None


__all__ = ["ROWS", "as_array", "binary", "compute", "integer_bits", "plus", "times"]
