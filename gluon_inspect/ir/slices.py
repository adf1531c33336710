"""Which values feed an address, a mask, a bound or a branch: everything else need not be evaluated."""

from collections.abc import Callable, Iterable, Iterator

from gluon_inspect.ir.graph import LOOP_BOUNDS, Graph, carried, ends_of
from gluon_inspect.ir.operations import predicate, row_of, scf, tt
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.types import PointerType, ScalarType, TensorType, Type


def is_integral(of: Type) -> bool:
    """Whether a value of this type can be part of an address, mask or bound."""
    inner = of.element if isinstance(of, TensorType) else of
    return isinstance(inner, PointerType) or (isinstance(inner, ScalarType) and not inner.is_float)


def needed_values(function: Operation, graph: Graph, is_access: Callable[[Operation], bool]) -> frozenset[int]:
    """Indices of the values that the accesses and the control flow of a function depend on."""
    needed: set[int] = set()
    pending = [value for op in graph.within(function) if op is not function for value in _always(op, is_access)]
    while pending:
        value = pending.pop()
        if value.index not in needed and is_integral(value.type):
            needed.add(value.index)
            pending.extend(_feeding(value, graph))
    return frozenset(needed)


def _always(op: Operation, is_access: Callable[[Operation], bool]) -> Iterator[Value]:
    """What an operation needs whether or not somebody needs its results."""
    row = row_of(op)
    if row is scf.FOR:
        yield from op.operands[:LOOP_BOUNDS]
    elif row is scf.IF:
        yield from op.operands[:1]
    elif op.regions or op.successors or row is tt.RETURN or row.kind is OperationKind.CALL:
        # while loops, partitions, branches and calls: everything that enters or leaves them
        yield from op.operands
        yield from (value for _, values in op.successors for value in values)
        yield from (value for end in ends_of(op) for value in end.operands)
    elif is_access(op):
        yield from op.operands
    elif (condition := predicate(op)) is not None:
        yield condition


def _feeding(value: Value, graph: Graph) -> Iterable[Value]:
    """What a value is evaluated from: memory is read where its contents are known."""
    maker = graph.maker(value)
    if maker is not None and row_of(maker) is scf.FOR:
        return [each.argument for each in carried(maker) if each.result == value]
    if value.index in graph.handed:
        return graph.handed[value.index]
    return () if maker is None else maker.operands
