"""The axis analysis of one function: a forward pass with joins at loops, ifs and partitions."""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.axis.information import AxisInfo, from_hints, gcd, join, pessimistic
from gluon_inspect.axis.rules import shape_of, transfer
from gluon_inspect.ir.operations import (
    row_of,
    scf,
    ttg,
)
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.model.mlir import Block, Operation, Value

_HINTS = ("tt.divisibility", "tt.contiguity", "tt.constancy")
_MAX_ROUNDS = 64


class AxisAnalysis:
    """Axis information of every value of a function (and of what it nests)."""

    def __init__(self, function: Operation) -> None:
        self._infos: dict[int, AxisInfo] = {}
        self._changed = False
        self._labels = {
            block.label: block.arguments for region in function.regions for block in region.blocks if block.label
        }
        self._enter_function(function)
        for _ in range(_MAX_ROUNDS):
            self._changed = False
            for region in function.regions:
                for block in region.blocks:
                    self._visit_block(block)
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
            self._infos[argument.index] = from_hints(info, row) if isinstance(row, Mapping) else info

    def _meet(self, value: Value, info: AxisInfo | None) -> None:
        old = self._infos.get(value.index)
        new = join(old, info)
        if new is not None and new != old:
            self._infos[value.index] = new
            self._changed = True

    def _visit_block(self, block: Block) -> None:
        for operation in block.operations:
            self._visit(operation)

    def _visit(self, op: Operation) -> None:
        match row_of(op):
            case scf.FOR:
                self._visit_for(op)
            case scf.WHILE:
                self._visit_while(op)
            case ttg.WARP_SPECIALIZE:
                self._visit_partitions(op)
            case _:
                self._visit_plain(op)
        self._visit_successors(op)

    def _visit_plain(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                self._visit_block(block)
        if op.regions and row_of(op) in (scf.IF, scf.EXECUTE_REGION):
            self._join_yields(op)
            return
        infos = [self[operand] for operand in op.operands]
        for result in op.results:
            info = transfer(op, infos, len(shape_of(result.type)))
            if any(hint in op.attributes for hint in _HINTS):
                info = from_hints(info, op.attributes)
            self._meet(result, info)

    def _join_yields(self, op: Operation) -> None:
        for region in op.regions:
            for yielded in _terminators(region.blocks, scf.YIELD):
                for result, value in zip(op.results, yielded.operands, strict=False):
                    self._meet(result, self._infos.get(value.index))

    def _visit_for(self, op: Operation) -> None:
        body = op.regions[0].blocks[0]
        induction, *carried = body.arguments
        lower, step = self[op.operands[0]], self[op.operands[2]]
        self._meet(induction, AxisInfo((1,), (gcd(lower.divisibility[0], step.divisibility[0]),), (1,)))
        for argument, initial in zip(carried, op.operands[3:], strict=False):
            self._meet(argument, self._infos.get(initial.index))
        self._visit_block(body)
        for yielded in _terminators((body,), scf.YIELD):
            for argument, value in zip(carried, yielded.operands, strict=False):
                self._meet(argument, self._infos.get(value.index))
        for result, argument in zip(op.results, carried, strict=False):
            self._meet(result, self._infos.get(argument.index))

    def _visit_while(self, op: Operation) -> None:
        before, after = (region.blocks[0] for region in op.regions)
        for argument, initial in zip(before.arguments, op.operands, strict=False):
            self._meet(argument, self._infos.get(initial.index))
        self._visit_block(before)
        for condition in _terminators((before,), scf.CONDITION):
            for position, value in enumerate(condition.operands[1:]):
                info = self._infos.get(value.index)
                for target in (after.arguments, op.results):
                    if position < len(target):
                        self._meet(target[position], info)
        self._visit_block(after)
        for yielded in _terminators((after,), scf.YIELD):
            for argument, value in zip(before.arguments, yielded.operands, strict=False):
                self._meet(argument, self._infos.get(value.index))

    def _visit_partitions(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                for argument, captured in zip(block.arguments, op.operands, strict=False):
                    self._meet(argument, self._infos.get(captured.index))
                self._visit_block(block)
                for nested in block.operations:
                    if row_of(nested) is ttg.PARTITIONS:
                        self._visit_partitions(nested if nested.operands else _with_operands(nested, op.operands))

    def _visit_successors(self, op: Operation) -> None:
        for label, values in op.successors:
            for argument, value in zip(self._labels.get(label, ()), values, strict=False):
                self._meet(argument, self._infos.get(value.index))


def _with_operands(op: Operation, operands: tuple[Value, ...]) -> Operation:
    return Operation(op.name, operands, op.results, op.attributes, op.regions, op.location, op.span, op.successors)


def _terminators(blocks: tuple[Block, ...], row: OperationRow) -> list[Operation]:
    last = [block.operations[-1] for block in blocks if block.operations]
    return [operation for operation in last if row_of(operation) is row]
