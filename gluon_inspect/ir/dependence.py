"""Which of a kernel's parameters decide where an operation goes, and how often it runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from gluon_inspect.ir.operations import (
    operands_of,
    row_of,
    scf,
    ttg,
)
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.model.mlir import Block, Operation, Region, Value
from gluon_inspect.model.types import ScalarType, TensorType, Type

_LOOP_BOUNDS = 3


class Dependence:
    """Parameters behind the operands of each operation of a function, and behind the control flow around it.

    What is loaded from memory depends on no parameter here: it is unknown whatever they are.
    """

    def __init__(self, function: Operation) -> None:
        self.parameters = parameter_types(function)
        self._parameters = {value.index: argument_name(value) for value in _arguments(function)}
        self._sources: defaultdict[int, list[Value]] = defaultdict(list)
        self._behind: dict[int, list[Value]] = {}
        self._addresses: dict[int, list[Value]] = {}
        for region in function.regions:
            self._region(region, [])

    def of(self, start: int) -> frozenset[str]:
        """Parameters behind the operation whose span starts there; all of them for one outside the function."""
        return self._reach(self._behind[start]) if start in self._behind else frozenset(self.parameters)

    def of_address(self, start: int) -> frozenset[str]:
        """Parameters behind the address of a global access, its mask left out; none for any other operation."""
        return self._reach(self._addresses.get(start, ()))

    def _reach(self, values: Iterable[Value]) -> frozenset[str]:
        found: set[str] = set()
        seen: set[int] = set()
        stack = list(values)
        while stack:
            value = stack.pop()
            if value.index in seen:
                continue
            seen.add(value.index)
            if value.index in self._parameters:
                found.add(self._parameters[value.index])
            stack.extend(self._sources.get(value.index, ()))
        return frozenset(found)

    def _region(self, region: Region, control: list[Value]) -> None:
        """`control`: what decides whether, and how often, the region runs."""
        branches = [op for block in region.blocks for op in block.operations if op.successors]
        decisions = [value for op in branches for value in _decisions(op)]
        inside = [*control, *decisions]
        targets = {block.label: block for block in region.blocks}
        for op in branches:
            for label, values in op.successors:
                self._enter(targets.get(label), values)
        for block in region.blocks:
            for op in block.operations:
                self._operation(op, inside)

    def _enter(self, block: Block | None, values: Iterable[Value]) -> None:
        for argument, value in zip(block.arguments if block else (), values, strict=False):
            self._sources[argument.index].append(value)

    def _operation(self, op: Operation, control: list[Value]) -> None:
        operands = _counting(op.operands)
        self._behind[op.span.start] = [*operands, *control]
        self._addresses[op.span.start] = list(_address(op))
        if row_of(op) is scf.FOR:
            return self._loop(op, control)
        if row_of(op) is scf.IF:
            return self._branch(op, control)
        if not row_of(op).is_global_access:
            control = self._plain(op, operands, control)
        for region in op.regions:
            self._region(region, control)
        return None

    def _plain(self, op: Operation, operands: list[Value], control: list[Value]) -> list[Value]:
        """Results and region arguments depend on all operands and yields; gives what decides the regions."""
        ends = _counting(value for end in _ends(op) for value in end.operands)
        for value in (*op.results, *_entered(op)):
            self._sources[value.index].extend((*operands, *ends))
        return [*control, *operands, *ends] if row_of(op) is scf.WHILE else control

    def _loop(self, op: Operation, control: list[Value]) -> None:
        bounds = [*op.operands[:_LOOP_BOUNDS]]
        counter, *carried = op.regions[0].blocks[0].arguments
        self._sources[counter.index].extend(bounds)
        ends = _ends(op)
        for at, (argument, result) in enumerate(zip(carried, op.results, strict=False)):
            values = [
                op.operands[_LOOP_BOUNDS + at],
                *(end.operands[at] for end in ends if at < len(end.operands)),
            ]
            self._sources[argument.index].extend((*values, *bounds))
            self._sources[result.index].extend((*values, *bounds))
        self._region(op.regions[0], [*control, *bounds])

    def _branch(self, op: Operation, control: list[Value]) -> None:
        condition = op.operands[0]
        for at, result in enumerate(op.results):
            taken = [end.operands[at] for end in _ends(op) if at < len(end.operands)]
            self._sources[result.index].extend((condition, *taken))
        for region in op.regions:
            self._region(region, [*control, condition])


def parameter_types(function: Operation) -> dict[str, Type]:
    """The types of a function's parameters by their Python names, in order."""
    return {argument_name(value): value.type for value in _arguments(function)}


def _arguments(function: Operation) -> tuple[Value, ...]:
    return function.regions[0].blocks[0].arguments if function.regions else ()


def _address(op: Operation) -> Iterator[Value]:
    """The operands of a global access that say where it goes."""
    if (effect := row_of(op).lanes) is not None:
        yield from (value for role in (effect.address, effect.offsets) for value in operands_of(op, role))


def _decisions(branch: Operation) -> list[Value]:
    """The operands of a branch that are not handed to a block."""
    handed = sum(len(values) for _, values in branch.successors)
    return _counting(branch.operands[: len(branch.operands) - handed])


def _entered(op: Operation) -> Iterator[Value]:
    """Arguments of the blocks of an operation; what a warp specialisation captures may stand at the outer one."""
    for block in (block for region in op.regions for block in region.blocks):
        yield from block.arguments
        yield from (
            value for nested in block.operations if row_of(nested) is ttg.PARTITIONS for value in _entered(nested)
        )


def _ends(op: Operation) -> list[Operation]:
    last = (block.operations[-1] for region in op.regions for block in region.blocks if block.operations)
    return [end for end in last if row_of(end).hands_over]


def _counting(values: Iterable[Value]) -> list[Value]:
    """Values that can be part of an address, a bound or a descriptor: all but floating-point data."""
    return [value for value in values if not _is_float(value.type)]


def _is_float(of: Type) -> bool:
    inner = of.element if isinstance(of, TensorType) else of
    return isinstance(inner, ScalarType) and inner.is_float
