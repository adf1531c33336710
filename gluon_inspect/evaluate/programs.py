"""Run a kernel's integer part for many programs at once, and report every access on the way.

Each block of code is executed for a `Frame` of instances (programs, or programs x iterations).
What cannot be known (a value loaded from memory, an endless loop) is `Unknown`, and stays so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gluon_inspect.evaluate import arithmetic, shapes
from gluon_inspect.evaluate.arithmetic import integer_bits
from gluon_inspect.evaluate.known_tensors import KnownMemory
from gluon_inspect.evaluate.launch_control import ControlledLoop, controlled_loops
from gluon_inspect.evaluate.loops import ForLoop, closed_form
from gluon_inspect.evaluate.values import AnyValue, Ints, Scalar, TooLargeError, Unknown, as_array, take
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import builtin, predicate, row_of, scf, tt, ttg
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.ir.slices import is_integral, needed_values
from gluon_inspect.model.mlir import Block, Operation, Value

MAX_INSTANCES = 1 << 21
"""Instances of one frame; a batch that needs more is cut."""
MAX_STEPS = 4096
"""Iterations run one after the other before a loop counts as too long to evaluate."""


@dataclass(slots=True, eq=False)
class Frame:
    """Instances that execute a block together. `reason` is set when it is unknown whether they do."""

    size: int
    values: dict[int, AnyValue] = field(default_factory=dict[int, AnyValue])
    parent: Frame | None = None
    origin: Ints | None = None
    reason: str = ""

    def child(self, origin: Ints | None, size: int, reason: str = "") -> Frame:
        """A frame of instances that each descend from one of this frame's."""
        return Frame(size, {}, self, origin, self.reason or reason)

    def get(self, value: Value) -> AnyValue:
        """A value as this frame's instances see it; Unknown if it was never computed."""
        found = self.values.get(value.index)
        if found is None:
            found = self._inherit(value)
            self.values[value.index] = found
        return found

    def _inherit(self, value: Value) -> AnyValue:
        if self.parent is None:
            return Unknown(f"{value.name} is not evaluated")
        outer = self.parent.get(value)
        return outer if self.origin is None else take(outer, self.origin)


Listener = Callable[[Operation, Frame], None]


@dataclass(slots=True)
class Evaluation:
    """The state of one run: what counts as access, who listens, and how often each block ran."""

    is_access: Callable[[Operation], bool]
    listener: Listener
    functions: Mapping[str, Operation]
    graph: Graph
    memory: KnownMemory = field(default_factory=lambda: KnownMemory(()))
    block_runs: dict[int, int] = field(default_factory=dict[int, int])
    """Instances that executed each block, by the span start of the block's first operation."""
    block_unknown: dict[int, str] = field(default_factory=dict[int, str])
    active_runs: dict[int, int] = field(default_factory=dict[int, int])
    """Instances whose predicate held, by the span start of the predicated operation."""
    longest: dict[int, int] = field(default_factory=dict[int, int])
    """The most trips that any instance makes of each loop, by its span start."""
    active_unknown: dict[int, str] = field(default_factory=dict[int, str])
    controlled: dict[int, ControlledLoop] = field(default_factory=dict[int, ControlledLoop])
    """Loops that cluster launch control ends, by their span start."""
    _needed: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    _wanted: frozenset[int] = frozenset()
    _programs: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    _depth: int = 0

    def run(
        self, function: Operation, arguments: list[AnyValue], programs: Mapping[str, Scalar], size: int
    ) -> None:
        """Execute `function` for `size` instances; `programs` holds "pid0" … and "grid0" …."""
        frame = Frame(size)
        self._programs = programs
        self._call(function, arguments, frame)

    def _call(self, function: Operation, arguments: list[AnyValue], frame: Frame) -> list[AnyValue]:
        outer = self._wanted
        key = function.span.start
        if key not in self._needed:
            self._needed[key] = needed_values(function, self.graph, self.is_access)
            found = controlled_loops(function, self.graph, self._needed[key])
            self.controlled.update((loop.op.span.start, loop) for loop in found)
        self._wanted = self._needed[key]
        entry = function.regions[0].blocks[0]
        results = self._cfg(function, entry, dict(zip(entry.arguments, arguments, strict=False)), frame)
        self._wanted = outer
        return results

    def _cfg(
        self, function: Operation, block: Block, arguments: dict[Value, AnyValue], frame: Frame
    ) -> list[AnyValue]:
        """Follow unstructured control flow from a block; loops of blocks make what follows unknown."""
        for argument, value in arguments.items():
            frame.values[argument.index] = value
        last = self._block(block, frame)
        if last is None:
            return []
        if row_of(last) in (tt.RETURN, builtin.RETURN):
            return [frame.get(value) for value in last.operands]
        if last.successors:
            self._branch(function, last, frame)
        return []

    def _branch(self, function: Operation, op: Operation, frame: Frame) -> None:
        blocks = {block.label: block for block in function.regions[0].blocks}
        if self._depth > 64:
            return
        self._depth += 1
        for (label, values), target in zip(op.successors, self._targets(op, frame), strict=False):
            if target is not None and label in blocks:
                passed = {a: target.get(v) for a, v in zip(blocks[label].arguments, values, strict=False)}
                self._cfg(function, blocks[label], passed, target)
        self._depth -= 1

    def _targets(self, op: Operation, frame: Frame) -> list[Frame | None]:
        if len(op.successors) == 1:
            return [frame.child(None, frame.size)]
        taken, not_taken = self._split(frame, frame.get(op.operands[0]), "a branch on an unknown condition")
        return [taken, not_taken]

    def _split(self, frame: Frame, condition: AnyValue, reason: str) -> tuple[Frame | None, Frame | None]:
        if isinstance(condition, int):
            whole = frame.child(None, frame.size)
            return (whole, None) if condition else (None, whole)
        if not isinstance(condition, np.ndarray):
            return frame.child(None, frame.size, reason), frame.child(None, frame.size, reason)
        yes, no = np.flatnonzero(condition), np.flatnonzero(condition == 0)
        return (
            frame.child(yes, len(yes)) if len(yes) else None,
            frame.child(no, len(no)) if len(no) else None,
        )

    def _block(self, block: Block, frame: Frame) -> Operation | None:
        """Execute a block's operations; returns its terminator."""
        if block.operations:
            key = block.operations[0].span.start
            self.block_runs[key] = self.block_runs.get(key, 0) + frame.size
            if frame.reason:
                self.block_unknown[key] = frame.reason
        for op in block.operations:
            self._operation(op, frame)
        return block.operations[-1] if block.operations else None

    def _operation(self, op: Operation, frame: Frame) -> None:
        if self.is_access(op):
            self.listener(op, frame)
        elif (condition := predicate(op)) is not None:
            self._count(op, frame, frame.get(condition))
        match row := row_of(op):
            case scf.FOR:
                self._for(op, frame)
            case scf.IF:
                self._if(op, frame)
            case scf.WHILE:
                self._while(op, frame)
            case _ if row.kind is OperationKind.CALL:
                self._call_op(op, frame)
            case _ if row.combines:
                self._unknown_results(op, frame, f"result of {op.name}")
            case _ if op.regions:
                self._partitions(op, frame)
            case _ if any(result.index in self._wanted for result in op.results):
                self._compute(op, frame)
            case _:
                pass

    def _count(self, op: Operation, frame: Frame, condition: AnyValue) -> None:
        key = op.span.start
        match condition:
            case int():
                active = frame.size if condition else 0
            case np.ndarray():
                active = int(np.count_nonzero(condition))
            case _:
                active = 0
                reason = condition.reason if isinstance(condition, Unknown) else "a predicate that is a tensor"
                self.active_unknown[key] = frame.reason or f"predicate: {reason}"
        self.active_runs[key] = self.active_runs.get(key, 0) + active

    def _unknown_results(self, op: Operation, frame: Frame, reason: str) -> None:
        for result in op.results:
            frame.values[result.index] = Unknown(reason)

    def _compute(self, op: Operation, frame: Frame) -> None:
        if len(op.results) != 1 or not is_integral(op.results[0].type):
            return self._unknown_results(op, frame, f"result of {op.name}")
        row = row_of(op)
        if row in (tt.GET_PROGRAM_ID, tt.GET_NUM_PROGRAMS):
            key = ("pid" if row is tt.GET_PROGRAM_ID else "grid") + str(op.attributes.get("axis", 0))
            value = self._programs.get(key, None)
            frame.values[op.results[0].index] = (
                Unknown("the grid is not given") if value is None else self._here(value, frame)
            )
            return None
        args = [frame.get(operand) for operand in op.operands]
        if row is tt.LOAD:
            bits = integer_bits(op.results[0].type) or 0
            mask, other = (*args[1:], None, None)[:2]
            frame.values[op.results[0].index] = self.memory.load(args[0], mask, other, max(1, bits // 8))
        elif row in shapes.ROWS:
            frame.values[op.results[0].index] = shapes.compute(op, args)
        else:
            frame.values[op.results[0].index] = arithmetic.compute(op, args, frame.size)
        return None

    def _here(self, value: Scalar, frame: Frame) -> AnyValue:
        chain: list[Frame] = []
        at: Frame | None = frame
        while at is not None:
            chain.append(at)
            at = at.parent
        found: AnyValue = value
        for link in reversed(chain):
            if link.origin is not None:
                found = take(found, link.origin)
        return found

    def _for(self, op: Operation, frame: Frame) -> None:
        loop = ForLoop.of(op, frame.get, self._wanted)
        if loop.trips is None:
            self._unknown_loop(op, frame, loop.reason)
            return
        trips = as_array(loop.trips, frame.size)
        if trips.size:
            self.longest[op.span.start] = max(int(trips.max()), self.longest.get(op.span.start, 0))
        steps = closed_form(loop, frame.get)
        if steps is None:
            self._step_by_step(op, loop, frame, trips)
            return
        total = int(trips.sum())
        if total > MAX_INSTANCES:
            raise TooLargeError
        if total:
            origin = np.repeat(np.arange(frame.size), trips)
            iteration = np.arange(total) - np.repeat(np.cumsum(trips) - trips, trips)
            body = frame.child(origin, total)
            loop.enter(body, iteration, origin, steps)
            self._block(loop.body, body)
        loop.leave(frame, trips, steps)

    def _unknown_loop(self, op: Operation, frame: Frame, reason: str) -> None:
        body = frame.child(None, frame.size, reason)
        for argument in op.regions[0].blocks[0].arguments:
            body.values[argument.index] = Unknown(reason)
        self._block(op.regions[0].blocks[0], body)
        self._unknown_results(op, frame, reason)

    def _step_by_step(self, op: Operation, loop: ForLoop, frame: Frame, trips: Ints) -> None:
        """Iterations one after the other, for values carried in a way that has no closed form."""
        longest = int(trips.max()) if trips.size else 0
        if longest > MAX_STEPS:
            self._unknown_loop(op, frame, f"a loop of {longest} dependent iterations")
            return
        state = [frame.get(value) for value in loop.initial]
        for step in range(longest):
            active = np.flatnonzero(trips > step)
            body = frame.child(None if len(active) == frame.size else active, len(active))
            loop.enter_step(body, step, active if len(active) != frame.size else None, state)
            last = self._block(loop.body, body)
            yielded = [body.get(value) for value in last.operands] if last is not None else []
            state = loop.merged(state, yielded, active, frame.size)
        for result, value in zip(op.results, state, strict=False):
            frame.values[result.index] = value

    def _if(self, op: Operation, frame: Frame) -> None:
        condition = frame.get(op.operands[0])
        arms = self._split(frame, condition, "a condition that is not known")
        outcomes: list[tuple[Frame, list[AnyValue]]] = []
        for region, arm in zip(op.regions, arms, strict=False):
            if arm is None or not region.blocks:
                continue
            last = self._block(region.blocks[0], arm)
            values = [arm.get(value) for value in last.operands] if last and row_of(last) is scf.YIELD else []
            outcomes.append((arm, values))
        self._merge_if(op, frame, outcomes, isinstance(condition, Unknown))

    def _merge_if(
        self, op: Operation, frame: Frame, outcomes: list[tuple[Frame, list[AnyValue]]], unknown: bool
    ) -> None:
        for position, result in enumerate(op.results):
            values = [values[position] for _, values in outcomes if position < len(values)]
            if unknown or not values or any(isinstance(value, Unknown) for value in values):
                first = next((value for value in values if isinstance(value, Unknown)), None)
                frame.values[result.index] = first or Unknown("a condition that is not known")
            elif len(values) == 1:
                frame.values[result.index] = values[0]
            else:
                (yes, _), (no, _) = outcomes
                frame.values[result.index] = ForLoop.interleave(
                    values[0], values[1], yes.origin, no.origin, frame.size
                )

    def _while(self, op: Operation, frame: Frame) -> None:
        """A while loop, iteration by iteration, as long as its condition is known."""
        before, after = (region.blocks[0] for region in op.regions)
        if op.span.start in self.controlled:
            return self._once(op, frame)
        state = [frame.get(value) for value in op.operands]
        active = np.arange(frame.size)
        results: list[AnyValue] = [Unknown("a while loop") for _ in op.results]
        for _ in range(MAX_STEPS):
            head = frame.child(active, len(active))
            for argument, value in zip(before.arguments, state, strict=False):
                head.values[argument.index] = value
            last = self._block(before, head)
            condition = head.get(last.operands[0]) if last and last.operands else Unknown("no condition")
            passed = [head.get(value) for value in last.operands[1:]] if last else []
            if isinstance(condition, int):
                condition = np.full(len(active), condition, np.int64)
            if not isinstance(condition, np.ndarray):
                self._unknown_while(after, head, passed, condition)
                break
            stay = np.flatnonzero(condition)
            if not len(stay):
                break
            body = head.child(stay, len(stay))
            for argument, value in zip(after.arguments, passed, strict=False):
                body.values[argument.index] = take(value, stay)
            end = self._block(after, body)
            state = [body.get(value) for value in end.operands] if end else []
            active = active[stay]
        else:
            endless = Unknown(f"more than {MAX_STEPS} iterations")
            self._unknown_while(after, frame.child(active, len(active)), state, endless)
        for result, value in zip(op.results, results, strict=False):
            frame.values[result.index] = value
        return None

    def _once(self, op: Operation, frame: Frame) -> None:
        """A loop that takes over other programs' work: as if each did its own (`launch_control`)."""
        before, after = (region.blocks[0] for region in op.regions)
        head = frame.child(None, frame.size)
        for argument, value in zip(before.arguments, op.operands, strict=False):
            head.values[argument.index] = frame.get(value)
        last = self._block(before, head)
        body = head.child(None, head.size)
        for argument, value in zip(after.arguments, last.operands[1:] if last else (), strict=False):
            body.values[argument.index] = head.get(value)
        self._block(after, body)
        self._unknown_results(op, frame, "what a loop under cluster launch control leaves")

    def _unknown_while(self, after: Block, head: Frame, passed: list[AnyValue], condition: AnyValue) -> None:
        reason = condition.reason if isinstance(condition, Unknown) else "a condition that is a tensor"
        body = head.child(None, head.size, f"a loop that ends on {reason}")
        for argument, value in zip(after.arguments, passed, strict=False):
            body.values[argument.index] = value if isinstance(value, Unknown) else Unknown(reason)
        self._block(after, body)

    def _call_op(self, op: Operation, frame: Frame) -> None:
        callee = getattr(op.attributes.get("callee"), "name", op.attributes.get("callee"))
        function = self.functions.get(str(callee).lstrip("@"))
        if function is None or self._depth > 32:
            self._unknown_results(op, frame, f"result of a call of {callee}")
            return
        self._depth += 1
        inner = frame.child(None, frame.size)
        results = self._call(function, [frame.get(value) for value in op.operands], inner)
        self._depth -= 1
        for result, value in zip(op.results, results, strict=False):
            frame.values[result.index] = value

    def _partitions(self, op: Operation, frame: Frame) -> None:
        """Regions that all run once: warp-specialised partitions and the like; captures are arguments."""
        for region in op.regions:
            for block in region.blocks:
                inner = frame.child(None, frame.size)
                for argument, value in zip(block.arguments, op.operands, strict=False):
                    inner.values[argument.index] = frame.get(value)
                last = self._block(block, inner)
                if last is not None and row_of(last) in (ttg.WARP_YIELD, scf.YIELD):
                    for result, value in zip(op.results, last.operands, strict=False):
                        frame.values[result.index] = inner.get(value)
