"""How the operations and values of a module hang together, read once a module (`graph_of`).

Who makes and who uses a value, which loops and regions stand around an operation, and what regions hand over:
what a block's argument or the result of control flow may be. Plain dictionaries: a graph library took longer
to import than any of these questions takes to answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from gluon_inspect.ir.operations import row_of, scf, ttg
from gluon_inspect.ir.operations.kinds import OperationKind, OperationRow
from gluon_inspect.model.mlir import Block, Module, Operation, Region, Value

LOOP_BOUNDS = 3
"""Lower bound, upper bound and step come first among the operands of scf.for."""


@dataclass(frozen=True, slots=True)
class Carried:
    """One value that a loop carries: `yielded` is None where the body's end is not understood."""

    argument: Value
    initial: Value
    yielded: Value | None
    result: Value | None


@dataclass(frozen=True, slots=True)
class Graph:
    """`operations` in textual order; `makers`, `owners`, `users` and `handed` by a value's index.

    A value has a maker, or, an argument of a block, an owner: the operation with that block. `handed`: what an
    argument or a result of control flow may be, what comes from outside first.
    `depths` counts the loops around an operation. `first` is an operation's place in `operations`, `last` that
    of the last operation inside it.
    """

    warps: int
    ctas: int
    operations: list[Operation] = field(default_factory=list[Operation])
    makers: dict[int, Operation] = field(default_factory=dict[int, Operation])
    owners: dict[int, Operation] = field(default_factory=dict[int, Operation])
    users: dict[int, tuple[Operation, ...]] = field(default_factory=dict[int, tuple[Operation, ...]])
    handed: dict[int, tuple[Value, ...]] = field(default_factory=dict[int, tuple[Value, ...]])
    parents: dict[Operation, Operation] = field(default_factory=dict[Operation, Operation])
    depths: dict[Operation, int] = field(default_factory=dict[Operation, int])
    first: dict[Operation, int] = field(default_factory=dict[Operation, int])
    last: dict[Operation, int] = field(default_factory=dict[Operation, int])

    @staticmethod
    def of(operations: Sequence[Operation], warps: int = 4, ctas: int = 1) -> Graph:
        """Read operations and all that they nest."""
        found = Graph(warps, ctas)
        uses: defaultdict[int, list[Operation]] = defaultdict(list)
        stack: list[tuple[Operation, Operation | None]] = [(op, None) for op in reversed(operations)]
        while stack:
            op, parent = stack.pop()
            found._enter(op, parent)
            for index in _used(op):
                uses[index].append(op)
            nested = [each for region in op.regions for block in region.blocks for each in block.operations]
            stack.extend((each, op) for each in reversed(nested))
        found.users.update((index, tuple(users)) for index, users in uses.items())
        for op in reversed(found.operations):
            found.last[op] = max(found.last.get(op, 0), found.first[op])
            if op in found.parents:
                parent = found.parents[op]
                found.last[parent] = max(found.last.get(parent, 0), found.last[op])
        return found

    def _enter(self, op: Operation, parent: Operation | None) -> None:
        self.first[op] = len(self.operations)
        self.operations.append(op)
        self.depths[op] = 0
        if parent is not None:
            self.parents[op] = parent
            self.depths[op] = self.depths[parent] + row_of(parent).loop
        self.makers.update((result.index, op) for result in op.results)
        blocks = (block for region in op.regions for block in region.blocks)
        self.owners.update((argument.index, op) for block in blocks for argument in block.arguments)
        for target, sources in _handed(op, parent):
            self.handed[target.index] = (*self.handed.get(target.index, ()), *sources)

    def within(self, op: Operation) -> Sequence[Operation]:
        """An operation and all that it nests, in textual order; one that was made since is walked."""
        if op not in self.first:
            return tuple(op.walk())
        return self.operations[self.first[op] : self.last[op] + 1]

    def is_inside(self, op: Operation, outer: Operation) -> bool:
        """Whether an operation is nested in another."""
        return self.first[outer] < self.first[op] <= self.last[outer]

    def around(self, op: Operation) -> Iterator[Operation]:
        """The operations that an operation is nested in, innermost first."""
        at = self.parents.get(op)
        while at is not None:
            yield at
            at = self.parents.get(at)

    def end_of_use(self, user: Operation, allocation: Operation) -> int:
        """The place at which a use ends, seen from the block of the allocation: loops are used as a whole."""
        home, at = self.parents.get(allocation), user
        while (parent := self.parents.get(at)) is not None and parent is not home:
            at = parent
        return self.last[at]

    def loop_of(self, op: Operation) -> Operation | None:
        """The innermost loop around an operation."""
        return next((outer for outer in self.around(op) if row_of(outer).loop), None)

    def maker(self, value: Value) -> Operation | None:
        """The operation that makes a value; None for arguments of blocks."""
        return self.makers.get(value.index)

    def touching(self, value: Value) -> list[Operation]:
        """The operation that makes a value and those that use it."""
        maker = self.makers.get(value.index)
        return [*([maker] if maker is not None else []), *self.users.get(value.index, ())]

    def is_parameter(self, value: Value) -> bool:
        """Whether a value is a parameter of a function."""
        owner = self.owners.get(value.index)
        return owner is not None and row_of(owner).kind is OperationKind.FUNCTION

    def sources(self, value: Value) -> tuple[Value, ...]:
        """The values that a value is computed from at once; none behind memory and parameters."""
        if value.index in self.handed:
            return self.handed[value.index]
        maker = self.makers.get(value.index)
        if maker is not None:
            return () if row_of(maker).reads_memory else maker.operands
        owner = self.owners.get(value.index)
        if owner is None or self.is_parameter(value):
            return ()
        return owner.operands[:LOOP_BOUNDS] if row_of(owner) is scf.FOR else owner.operands

    def behind(self, values: Iterable[Value], through: Callable[[Value], bool]) -> Iterator[Value]:
        """Everything that values are computed from, they themselves first, as far as `through` holds."""
        seen: set[int] = set()
        pending = list(values)
        while pending:
            value = pending.pop()
            if value.index not in seen and through(value):
                seen.add(value.index)
                yield value
                pending.extend(self.sources(value))

    def root(self, value: Value) -> Operation | None:
        """The operation that allocated what `value` is a view of; None where that is not followed."""
        seen: set[int] = set()
        at: Value | None = value
        while at is not None and at.index not in seen:
            seen.add(at.index)
            maker = self.makers.get(at.index)
            if at.index in self.handed:
                at = next(iter(self.handed[at.index]), None)
            elif maker is not None and row_of(maker).is_allocation:
                return maker
            else:
                at = maker.operands[0] if maker is not None and row_of(maker).is_view and maker.operands else None
        return None

    def is_invariant(self, op: Operation) -> bool:
        """Whether an operation in a loop computes the same in every iteration of its innermost loop."""
        loop = self.loop_of(op)
        pending, seen = [op], set[Operation]()
        while pending and loop is not None:
            at = pending.pop()
            if at is not op and not row_of(at).is_pure:
                return False
            seen.add(at)
            for value in at.operands:
                maker, owner = self.makers.get(value.index), self.owners.get(value.index)
                if owner is not None and (owner is loop or self.is_inside(owner, loop)):
                    return False
                if maker is not None and self.is_inside(maker, loop) and maker not in seen:
                    pending.append(maker)
        return loop is not None


def _used(op: Operation) -> set[int]:
    passed = (value.index for _, values in op.successors for value in values)
    return {value.index for value in op.operands} | set(passed)


_GRAPHS: WeakKeyDictionary[Module, Graph] = WeakKeyDictionary()


def graph_of(module: Module) -> Graph:
    """The graph of a module, which lives as long as the module."""
    found = _GRAPHS.get(module)
    if found is None:
        warps, ctas = _number(module, "ttg.num-warps", 4), _number(module, "ttg.num-ctas", 1)
        found = _GRAPHS[module] = Graph.of(module.operations, warps, ctas)
    return found


def _number(module: Module, name: str, default: int) -> int:
    found = module.attributes.get(name)
    return found if isinstance(found, int) else default


def ends_of(op: Operation) -> list[Operation]:
    """What ends the blocks of an operation's own regions and hands its operands over."""
    last = (block.operations[-1] for region in op.regions for block in region.blocks if block.operations)
    return [end for end in last if row_of(end).hands_over]


def carried(loop: Operation) -> Iterator[Carried]:
    """What scf.for or scf.while carries from one iteration to the next; none where regions are missing."""
    blocks = [region.blocks[0] for region in loop.regions if region.blocks]
    if not blocks:
        return
    is_for = row_of(loop) is scf.FOR
    arguments = blocks[0].arguments[1:] if is_for else blocks[0].arguments
    initial = loop.operands[LOOP_BOUNDS:] if is_for else loop.operands
    yielded = _end_of(blocks[-1], scf.YIELD)
    results = loop.results if is_for else ()
    for place, (argument, first) in enumerate(zip(arguments, initial, strict=False)):
        yield Carried(argument, first, _at(yielded, place), _at(results, place))


def _at(values: Sequence[Value], place: int) -> Value | None:
    return values[place] if place < len(values) else None


def _end_of(block: Block, row: OperationRow) -> tuple[Value, ...]:
    last = block.operations[-1] if block.operations else None
    return last.operands if last is not None and row_of(last) is row else ()


def _handed(op: Operation, parent: Operation | None) -> Iterator[tuple[Value, tuple[Value, ...]]]:
    match row_of(op):
        case scf.FOR:
            yield from _by_loop(op)
        case scf.WHILE:
            yield from _by_loop(op)
            yield from _by_condition(op)
        case scf.IF | scf.EXECUTE_REGION:
            ends = ends_of(op)
            yield from ((result, _column(ends, place)) for place, result in enumerate(op.results))
        case ttg.WARP_SPECIALIZE | ttg.PARTITIONS:
            yield from _by_capture(op, parent)
        case _:
            pass
    for region in op.regions:
        yield from _by_branches(region)


def _by_loop(loop: Operation) -> Iterator[tuple[Value, tuple[Value, ...]]]:
    for each in carried(loop):
        sources = (each.initial,) if each.yielded is None else (each.initial, each.yielded)
        yield each.argument, sources
        if each.result is not None:
            yield each.result, sources


def _by_condition(loop: Operation) -> Iterator[tuple[Value, tuple[Value, ...]]]:
    """What the head of scf.while hands to its body and, in the end, to its results."""
    if len(loop.regions) < 2 or not all(region.blocks for region in loop.regions[:2]):
        return
    head, body = (region.blocks[0] for region in loop.regions[:2])
    passed = _end_of(head, scf.CONDITION)[1:]
    for targets in (body.arguments, loop.results):
        yield from ((target, (value,)) for target, value in zip(targets, passed, strict=False))


def _by_capture(op: Operation, parent: Operation | None) -> Iterator[tuple[Value, tuple[Value, ...]]]:
    """Partitions get what they capture; it may stand at the operation around them alone."""
    captured = op.operands or (() if parent is None or row_of(op) is not ttg.PARTITIONS else parent.operands)
    for region in op.regions:
        for block in region.blocks[:1]:
            yield from ((target, (value,)) for target, value in zip(block.arguments, captured, strict=False))
    ends = ends_of(op)
    yield from ((result, _column(ends, place)) for place, result in enumerate(op.results))


def _by_branches(region: Region) -> Iterator[tuple[Value, tuple[Value, ...]]]:
    targets = {block.label: block for block in region.blocks if block.label}
    for block in region.blocks if targets else ():
        for op in block.operations:
            for label, values in op.successors:
                arguments = targets[label].arguments if label in targets else ()
                yield from ((target, (value,)) for target, value in zip(arguments, values, strict=False))


def _column(ends: Sequence[Operation], place: int) -> tuple[Value, ...]:
    return tuple(end.operands[place] for end in ends if place < len(end.operands))
