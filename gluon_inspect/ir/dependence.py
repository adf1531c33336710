"""Which of a kernel's parameters decide where an operation goes, and how often it runs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from gluon_inspect.ir.graph import LOOP_BOUNDS, Graph
from gluon_inspect.ir.operations import operands_of, row_of, scf
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.types import ScalarType, TensorType, Type


class Dependence:
    """Parameters behind the operands of each operation of a function, and behind the control flow around it.

    What is loaded from memory depends on no parameter here: it is unknown whatever they are.
    """

    def __init__(self, function: Operation, graph: Graph) -> None:
        self.parameters = parameter_types(function)
        self._graph = graph
        self._names = {value.index: argument_name(value) for value in _arguments(function)}
        self._operations = {op.span.start: op for op in graph.within(function) if op is not function}
        self._branches: defaultdict[Operation, list[Value]] = defaultdict(list)
        for op in self._operations.values():
            if op.successors:
                self._branches[graph.parents[op]].extend(_decisions(op))

    def of(self, start: int) -> frozenset[str]:
        """Parameters behind the operation whose span starts there; all of them for one outside the function."""
        op = self._operations.get(start)
        if op is None:
            return frozenset(self.parameters)
        return self._reach((*op.operands, *self._control(op)))

    def of_address(self, start: int) -> frozenset[str]:
        """Parameters behind the address of a global access, its mask left out; none for any other operation."""
        op = self._operations.get(start)
        effect = None if op is None else row_of(op).lanes
        if op is None or effect is None:
            return frozenset()
        return self._reach(value for role in (effect.address, effect.offsets) for value in operands_of(op, role))

    def _control(self, op: Operation) -> Iterator[Value]:
        """What decides whether an operation runs, and how often."""
        for outer in self._graph.around(op):
            yield from _deciders(outer)
            yield from self._branches[outer]

    def _reach(self, values: Iterable[Value]) -> frozenset[str]:
        found: set[str] = set()
        seen: set[int] = set()
        pending = list(values)
        while pending:
            behind = list(self._graph.behind(pending, lambda value: value.index not in seen and _counts(value)))
            seen.update(value.index for value in behind)
            found.update(self._names[value.index] for value in behind if value.index in self._names)
            pending = [decider for value in behind for decider in self._deciding(value)]
        return frozenset(found)

    def _deciding(self, value: Value) -> Iterator[Value]:
        """What decides which of the values handed to it a value is."""
        if value.index in self._graph.handed:
            home = self._graph.makers.get(value.index) or self._graph.owners[value.index]
            yield from _deciders(home)


def parameter_types(function: Operation) -> dict[str, Type]:
    """The types of a function's parameters by their Python names, in order."""
    return {argument_name(value): value.type for value in _arguments(function)}


def _arguments(function: Operation) -> tuple[Value, ...]:
    return function.regions[0].blocks[0].arguments if function.regions else ()


def _deciders(op: Operation) -> tuple[Value, ...]:
    """What decides about the regions of an operation."""
    match row_of(op):
        case scf.FOR:
            return op.operands[:LOOP_BOUNDS]
        case scf.IF:
            return op.operands[:1]
        case scf.WHILE:
            heads = (block for region in op.regions[:1] for block in region.blocks if block.operations)
            return tuple(value for head in heads for value in head.operations[-1].operands[:1])
        case _:
            return ()


def _decisions(branch: Operation) -> tuple[Value, ...]:
    """The operands of a branch that are not handed to a block."""
    handed = sum(len(values) for _, values in branch.successors)
    return branch.operands[: len(branch.operands) - handed]


def _counts(value: Value) -> bool:
    """Whether a value can be part of an address, a bound or a descriptor: floating-point data cannot."""
    inner = value.type.element if isinstance(value.type, TensorType) else value.type
    return not (isinstance(inner, ScalarType) and inner.is_float)
