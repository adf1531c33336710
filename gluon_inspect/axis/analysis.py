"""The axis analysis of one function: a forward pass with joins at loops, ifs and partitions."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from weakref import WeakKeyDictionary

from gluon_inspect.axis.information import AxisInfo, from_hints, gcd, join, pessimistic
from gluon_inspect.axis.rules import shape_of, transfer
from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.operations import row_of, scf
from gluon_inspect.model.mlir import Block, Module, Operation, Value
from gluon_inspect.model.types import OpaqueType

_HINTS = ("tt.divisibility", "tt.contiguity", "tt.constancy")
_MAX_ROUNDS = 64
_MULTIPLE = 16
"""What Triton looks for in arguments: elements of integers, bytes of pointers."""


class AxisAnalysis:
    """Axis information of every value of a function (and of what it nests).

    `multiples`: values, by index, that are taken to be multiples of 16, to see what that would change.
    """

    def __init__(self, function: Operation, graph: Graph, multiples: Collection[int] = ()) -> None:
        self._graph, self._multiples = graph, multiples
        self._infos: dict[int, AxisInfo] = {}
        self._changed = False
        self._enter_function(function)
        for _ in range(_MAX_ROUNDS):
            self._changed = False
            self._visit_regions(function)
            if not self._changed:
                return

    def __getitem__(self, value: Value) -> AxisInfo:
        """What is known of `value`; nothing, if it was never reached."""
        return self._infos.get(value.index) or pessimistic(len(shape_of(value.type)))

    def _enter_function(self, function: Operation) -> None:
        hints = function.attributes.get("arg_attrs")
        rows = hints if isinstance(hints, tuple) else ()
        arguments = function.regions[0].blocks[0].arguments if function.regions else ()
        for position, argument in enumerate(arguments):
            row = rows[position] if position < len(rows) else None
            info = pessimistic(len(shape_of(argument.type)))
            known = from_hints(info, row) if isinstance(row, Mapping) else info
            self._infos[argument.index] = self._assumed(argument, known)

    def _assumed(self, value: Value, info: AxisInfo) -> AxisInfo:
        if value.index not in self._multiples:
            return info
        return replace(info, divisibility=tuple(max(_MULTIPLE, d) for d in info.divisibility), constant=None)

    def _meet(self, value: Value, info: AxisInfo | None) -> None:
        old = self._infos.get(value.index)
        new = join(old, None if info is None else self._assumed(value, info))
        if new is not None and new != old:
            self._infos[value.index] = new
            self._changed = True

    def _hand_over(self, values: Iterable[Value]) -> None:
        """Join what is known so far of everything that each value may be."""
        for value in values:
            for source in self._graph.handed.get(value.index, ()):
                self._meet(value, self._infos.get(source.index))

    def _visit_regions(self, op: Operation) -> None:
        blocks = [block for region in op.regions for block in region.blocks]
        for block in blocks:
            self._hand_over(block.arguments)
            self._visit_block(block)
        for block in blocks:
            self._hand_over(block.arguments)

    def _visit_block(self, block: Block) -> None:
        for op in block.operations:
            if row_of(op) is scf.FOR:
                self._enter_loop(op)
            self._visit_regions(op)
            if any(result.index in self._graph.handed for result in op.results):
                self._hand_over(op.results)
            else:
                self._transfer(op)

    def _enter_loop(self, op: Operation) -> None:
        lower, step = self[op.operands[0]], self[op.operands[2]]
        counter = op.regions[0].blocks[0].arguments[0]
        self._meet(counter, AxisInfo((1,), (gcd(lower.divisibility[0], step.divisibility[0]),), (1,)))

    def _transfer(self, op: Operation) -> None:
        for result in op.results:
            rank = len(shape_of(result.type))
            # an operand of a type that is not understood has as many dimensions as the result
            infos = [
                pessimistic(rank) if isinstance(operand.type, OpaqueType) else self[operand]
                for operand in op.operands
            ]
            info = transfer(op, infos, rank)
            if any(hint in op.attributes for hint in _HINTS):
                info = from_hints(info, op.attributes)
            self._meet(result, info)


_AXES: WeakKeyDictionary[Module, dict[int, tuple[Operation, AxisAnalysis]]] = WeakKeyDictionary()


def axis_of(module: Module, function: Operation) -> AxisAnalysis:
    """The axis analysis of a function of a module, worked out once while the module lives.

    A function with other hints than the module's own is another one.
    """
    known = _AXES.setdefault(module, {})
    if id(function) not in known:
        # the function is kept, so that its identity is not given to another
        known[id(function)] = function, AxisAnalysis(function, graph_of(module))
    return known[id(function)][1]
