"""One transfer function per operation of the axis analysis, in one table.

Source of every rule: the published behaviour of Triton's axis analysis (lib/Analysis/AxisInfo.cpp, 3.6
to 3.9), checked here against the vector widths that the compiler emits.
"""

from __future__ import annotations

from collections.abc import Callable

from gluon_inspect.axis.information import (
    UNBOUNDED,
    AxisInfo,
    gcd,
    joined_divisibility,
    pessimistic,
    power_of_two_divisor,
)
from gluon_inspect.ir.operations import arith, builtin, gluon, row_of, tt, ttg
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.predicates import compare
from gluon_inspect.model.mlir import DenseElements, Operation
from gluon_inspect.model.types import PointerType, TensorType, Type, element_bits

Rule = Callable[[Operation, list[AxisInfo]], AxisInfo | None]
PerDim = Callable[[AxisInfo, AxisInfo, int], int]


def shape_of(of: Type) -> tuple[int, ...]:
    """The shape of a tensor type, () of anything else."""
    return of.shape if isinstance(of, TensorType) else ()


def _saturating(product: int) -> int:
    return min(product, UNBOUNDED)


def _one(_left: AxisInfo, _right: AxisInfo, _dim: int) -> int:
    return 1


def _both_constant(left: AxisInfo, right: AxisInfo, dim: int) -> int:
    return gcd(left.constancy[dim], right.constancy[dim])


def _binary(
    left: AxisInfo,
    right: AxisInfo,
    value: int | None,
    contiguity: PerDim,
    divisibility: PerDim,
    constancy: PerDim = _both_constant,
) -> AxisInfo:
    dims = range(min(left.rank, right.rank))
    if value is not None:
        return AxisInfo(
            tuple(1 for _ in dims),
            tuple(power_of_two_divisor(value) for _ in dims),
            tuple(max(left.constancy[d], right.constancy[d]) for d in dims),
            value,
        )
    return AxisInfo(
        tuple(contiguity(left, right, d) for d in dims),
        tuple(divisibility(left, right, d) for d in dims),
        tuple(constancy(left, right, d) for d in dims),
    )


def _constants(left: AxisInfo, right: AxisInfo) -> tuple[int, int] | None:
    if left.constant is None or right.constant is None:
        return None
    return left.constant, right.constant


def _all_contiguous(info: AxisInfo, shape: tuple[int, ...], dim: int) -> bool:
    return dim < len(shape) and info.contiguity[dim] == shape[dim]


def _all_constant(info: AxisInfo, shape: tuple[int, ...], dim: int) -> bool:
    return dim < len(shape) and info.constancy[dim] == shape[dim]


def _same(_op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    return infos[0]


def _make_range(op: Operation, _infos: list[AxisInfo]) -> AxisInfo | None:
    start, end = op.attributes.get("start"), op.attributes.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        return None
    return AxisInfo((end - start,), (power_of_two_divisor(start),), (1,))


def _constant(op: Operation, _infos: list[AxisInfo]) -> AxisInfo | None:
    value = op.attributes.get("value")
    if isinstance(value, bool | int):
        return AxisInfo((1,), (power_of_two_divisor(int(value)),), (1,), int(value))
    if not isinstance(value, DenseElements) or not value.is_splat or not isinstance(value.values[0], int):
        return None
    shape, number = shape_of(op.results[0].type), int(value.values[0])
    rank = len(shape)
    return AxisInfo((1,) * rank, (power_of_two_divisor(number),) * rank, shape, number)


def _add(op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    left, right = infos
    scale = 1
    if row_of(op) is tt.ADDPTR:
        scale = max(1, (_pointee_bits(op.operands[0].type) or 8) // 8)
    known = _constants(left, right)
    value = known[0] + known[1] * scale if known else None

    def contiguity(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return max(gcd(a.constancy[d], b.contiguity[d]), gcd(a.contiguity[d], b.constancy[d]))

    def divisibility(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return gcd(a.divisibility[d], _saturating(b.divisibility[d] * scale))

    return _binary(left, right, value, contiguity, divisibility)


def _pointee_bits(of: Type) -> int | None:
    inner = of.element if isinstance(of, TensorType) else of
    return element_bits(inner.pointee) if isinstance(inner, PointerType) else None


def _sub(_op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    left, right = infos
    known = _constants(left, right)

    def contiguity(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return gcd(a.contiguity[d], b.constancy[d])

    def divisibility(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return gcd(a.divisibility[d], b.divisibility[d])

    return _binary(left, right, known[0] - known[1] if known else None, contiguity, divisibility)


def _mul(_op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    left, right = infos
    known = _constants(left, right)

    def contiguity(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return max(
            a.contiguity[d] if b.constant == 1 else 1,
            b.contiguity[d] if a.constant == 1 else 1,
        )

    def divisibility(a: AxisInfo, b: AxisInfo, d: int) -> int:
        # a run 2^n, 2^n + 1, … scaled is no longer a run, so its elements count, and they are odd too
        of_a = 1 if a.contiguity[d] > 1 and b.constant != 1 else a.divisibility[d]
        of_b = 1 if b.contiguity[d] > 1 and a.constant != 1 else b.divisibility[d]
        return _saturating(of_a * of_b)

    return _binary(left, right, known[0] * known[1] if known else None, contiguity, divisibility)


def _div(op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    left, right = infos
    shape = shape_of(op.results[0].type)
    known = _constants(left, right)
    value = _truncated(*known) if known and known[1] else None

    def contiguity(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return a.contiguity[d] if b.constant == 1 else 1

    def constancy(a: AxisInfo, b: AxisInfo, d: int) -> int:
        runs = gcd(a.constancy[d], b.constancy[d]) if shape else 1
        if _all_contiguous(a, shape, d) and _all_constant(b, shape, d):
            return max(runs, gcd(a.contiguity[d], a.divisibility[d], b.divisibility[d]))
        return runs

    def divisibility(a: AxisInfo, b: AxisInfo, d: int) -> int:
        if a.constant == 0 or b.constant == 1:
            return a.divisibility[d]
        size = abs(b.constant) if b.constant else 0
        if size and size & (size - 1) == 0 and a.contiguity[d] == 1:
            return max(1, a.divisibility[d] // size)
        return 1

    return _binary(left, right, value, contiguity, divisibility, constancy)


def _truncated(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _rem(op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    left, right = infos
    shape = shape_of(op.results[0].type)
    known = _constants(left, right)
    value = known[0] - right_times(known) if known and known[1] else None
    if right.constant == 1:
        value = 0

    def contiguity(a: AxisInfo, b: AxisInfo, d: int) -> int:
        if _all_contiguous(a, shape, d) and _all_constant(b, shape, d):
            return gcd(a.contiguity[d], a.divisibility[d], b.divisibility[d])
        return 1

    def divisibility(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return gcd(a.divisibility[d], b.divisibility[d]) if b.constancy[d] > 1 else 1

    def constancy(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return gcd(a.constancy[d], b.constancy[d]) if shape else 1

    return _binary(left, right, value, contiguity, divisibility, constancy)


def right_times(known: tuple[int, int]) -> int:
    """The multiple of the divisor that truncated division takes away."""
    return _truncated(*known) * known[1]


def _splat(op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    shape = shape_of(op.results[0].type)
    rank = len(shape)
    return AxisInfo((1,) * rank, (infos[0].divisibility[0],) * rank, shape, infos[0].constant)


def _load(_op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    pointer = infos[0]
    ones = (1,) * pointer.rank
    mask = infos[1].constancy if len(infos) > 1 and infos[1].rank == pointer.rank else (0,) * pointer.rank
    return AxisInfo(ones, ones, tuple(gcd(p, m) for p, m in zip(pointer.constancy, mask, strict=True)))


def _expand_dims(op: Operation, infos: list[AxisInfo]) -> AxisInfo | None:
    axis, info = op.attributes.get("axis"), infos[0]
    if not isinstance(axis, int):
        return None
    if info.constant is not None:
        new = power_of_two_divisor(info.constant)
    else:
        new = gcd(*(1 if info.contiguity[d] > 1 else info.divisibility[d] for d in range(info.rank)))

    def insert(values: tuple[int, ...], value: int) -> tuple[int, ...]:
        return (*values[:axis], value, *values[axis:])

    return AxisInfo(
        insert(info.contiguity, 1), insert(info.divisibility, new), insert(info.constancy, 1), info.constant
    )


def _broadcast(op: Operation, infos: list[AxisInfo]) -> AxisInfo | None:
    source, target = shape_of(op.operands[0].type), shape_of(op.results[0].type)
    if len(source) != len(target):
        return None  # nobody verified IR that is read from a file
    info = infos[0]
    dims = range(len(target))
    return AxisInfo(
        tuple(1 if source[d] == 1 else info.contiguity[d] for d in dims),
        info.divisibility,
        tuple(target[d] if source[d] == 1 else info.constancy[d] for d in dims),
        info.constant,
    )


def _cmp(op: Operation, infos: list[AxisInfo]) -> AxisInfo | None:
    shape, predicate = shape_of(op.results[0].type), op.attributes.get("predicate")
    if not shape or not isinstance(predicate, str):
        return None
    left, right = infos
    known = _constants(left, right)
    if known:
        ones = (1,) * len(shape)
        return AxisInfo(ones, ones, left.constancy, int(compare(predicate, *known)))

    def runs(d: int) -> int:
        both = gcd(left.constancy[d], right.constancy[d])
        aligned = gcd(left.divisibility[d], right.divisibility[d])
        if predicate in ("sgt", "ugt", "sle", "ule") and _all_constant(left, shape, d):
            return max(both, gcd(right.contiguity[d], aligned))
        if predicate in ("slt", "ult", "sge", "uge") and _all_constant(right, shape, d):
            return max(both, gcd(left.contiguity[d], aligned))
        return both

    ones = (1,) * len(shape)
    return AxisInfo(ones, ones, tuple(runs(d) for d in range(len(shape))))


def _select(op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    condition, left, right = infos
    if condition.constant is not None:
        return left if condition.constant else right
    dims = range(left.rank)
    scalar = not isinstance(op.operands[0].type, TensorType)
    runs = (0,) * left.rank if scalar or condition.rank != left.rank else condition.constancy
    return AxisInfo(
        tuple(gcd(left.contiguity[d], right.contiguity[d], runs[d]) for d in dims),
        tuple(joined_divisibility(left, right, d) for d in dims),
        tuple(gcd(left.constancy[d], right.constancy[d], runs[d]) for d in dims),
        left.constant if left.constant == right.constant else None,
    )


def _logical(op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    left, right = infos
    known = _constants(left, right)
    value = None
    if known:
        a, b = known
        value = {arith.ANDI: a & b, arith.ORI: a | b, arith.XORI: a ^ b}[row_of(op)]
    return _binary(left, right, value, _one, _one)


def _shift_left(_op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    left, right = infos
    known = _constants(left, right)
    shift = min(right.constant or 0, 62)

    def contiguity(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return a.contiguity[d] if b.constant == 0 else 1

    def divisibility(a: AxisInfo, _b: AxisInfo, d: int) -> int:
        own = 1 if a.contiguity[d] > 1 and shift else a.divisibility[d]
        return _saturating(own << shift)

    return _binary(left, right, known[0] << shift if known else None, contiguity, divisibility)


def _shift_right(_op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    left, right = infos
    known = _constants(left, right)

    def contiguity(a: AxisInfo, b: AxisInfo, d: int) -> int:
        return a.contiguity[d] if b.constant == 0 else 1

    def divisibility(a: AxisInfo, b: AxisInfo, d: int) -> int:
        if b.constant is None:
            return 1
        own = 1 if a.contiguity[d] > 1 and b.constant else a.divisibility[d]
        return max(1, own >> b.constant)

    return _binary(left, right, known[0] >> known[1] if known else None, contiguity, divisibility)


def _min_max(op: Operation, infos: list[AxisInfo]) -> AxisInfo:
    left, right = infos
    known = _constants(left, right)
    if known:
        ones = (1,) * left.rank
        return AxisInfo(ones, ones, ones, max(known) if row_of(op) in (arith.MAXSI, arith.MAXUI) else min(known))
    dims = range(left.rank)
    return AxisInfo(
        tuple(gcd(left.contiguity[d], right.contiguity[d]) for d in dims),
        tuple(joined_divisibility(left, right, d) for d in dims),
        tuple(gcd(left.constancy[d], right.constancy[d]) for d in dims),
    )


def _poison(op: Operation, _infos: list[AxisInfo]) -> AxisInfo:
    unbounded = (UNBOUNDED,) * max(1, len(shape_of(op.results[0].type)))
    return AxisInfo(unbounded, unbounded, unbounded)


RULES: dict[OperationRow, Rule] = {
    **dict.fromkeys((arith.EXTSI, arith.EXTUI, arith.TRUNCI, tt.BITCAST), _same),
    **dict.fromkeys((ttg.CONVERT_LAYOUT, gluon.SET_AUTO_LAYOUT, builtin.CAST), _same),
    tt.MAKE_RANGE: _make_range,
    arith.CONSTANT: _constant,
    arith.POISON: _poison,
    **dict.fromkeys((tt.ADDPTR, arith.ADDI), _add),
    arith.SUBI: _sub,
    arith.MULI: _mul,
    **dict.fromkeys((arith.DIVSI, arith.DIVUI), _div),
    **dict.fromkeys((arith.REMSI, arith.REMUI), _rem),
    tt.SPLAT: _splat,
    tt.LOAD: _load,
    tt.EXPAND_DIMS: _expand_dims,
    tt.BROADCAST: _broadcast,
    arith.CMPI: _cmp,
    arith.SELECT: _select,
    **dict.fromkeys((arith.ANDI, arith.ORI, arith.XORI), _logical),
    arith.SHLI: _shift_left,
    **dict.fromkeys((arith.SHRSI, arith.SHRUI), _shift_right),
    **dict.fromkeys((arith.MAXSI, arith.MAXUI, arith.MINSI, arith.MINUI), _min_max),
}


def transfer(op: Operation, infos: list[AxisInfo], rank: int) -> AxisInfo:
    """What an operation's result is known to be, from what its operands are: as many dimensions as it has.

    Nothing is known where they do not fit together, which they need not where a type is not understood.
    """
    rule = RULES.get(row_of(op))
    found = rule(op, infos) if rule else None
    return found if found is not None and found.rank == max(rank, 1) else pessimistic(rank)
