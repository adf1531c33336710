"""The way a warp takes through its assembly: loops with their trips, branches taken or not.

The evaluator knows the trips of the IR's loops. ptxas keeps their order and nesting, but unrolls some, splits
off remainders, and adds loops of its own on paths that are rarely taken. A loop of the assembly belongs to the
loop of the IR whose memory and matrix instructions it holds; one that belongs to none is jumped over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from gluon_inspect.assembly.loops import branch_target
from gluon_inspect.cost.program import Act, Step
from gluon_inspect.model.asm import Function
from gluon_inspect.model.loops import LoopRun, Moves

_MOVES = {
    Act.LOAD: Moves.LOAD,
    Act.STORE: Moves.STORE,
    Act.ATOMIC: Moves.ATOMIC,
    Act.COPY: Moves.COPY,
    Act.BULK: Moves.BULK,
    Act.MATRIX: Moves.MATRIX,
}
_COUNTED = (Moves.LOAD, Moves.COPY, Moves.STORE, Moves.BULK)
"""Moves of which one operation becomes as many instructions as its record says, so that unrolling shows."""
_SPIN_INSTRUCTIONS = 12
"""A loop about an mbarrier's phase that is no longer than this only asks again."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part of the way that is gone `trips` times (a mean); `longest` for the program that goes it most often."""

    trips: float
    longest: float
    body: tuple[Item, ...]


Item = int | Repeat
"""The index of a step, or a loop."""


@dataclass(frozen=True, slots=True)
class Way:
    """`unknown`: loops whose trips the evaluator does not know; they are gone once."""

    items: tuple[Item, ...]
    unknown: int = 0
    is_cut: bool = False
    """The listing ends before the function does."""


@dataclass(frozen=True, slots=True)
class _Loop:
    first: int
    last: int
    moves: Mapping[Moves, int]
    inner: tuple[_Loop, ...]


def way_through(
    function: Function, steps: Sequence[Step], runs: Sequence[LoopRun], loads: float | None = None
) -> Way:
    """The way of a mean warp of a launch.

    `loads`: global loads that it executes as the IR's accesses tell: where the way has more, branches that jump
    over loads (remainders of unrolled loops) are taken until it has no more.
    """
    targets = _targets(function)
    found = _nested(_natural(steps, targets), steps)
    trips: dict[int, tuple[float, float]] = {}
    unknown = _assign(found, runs, trips)
    walker = _Walker(function, steps, targets, {loop.first: loop for loop in _all(found)}, trips, set(), {})
    items = tuple(walker.walk(0, len(steps) - 1, None))
    if loads is not None:
        items = _without_surplus(walker, items, loads)
    return Way(items, unknown, is_cut=_is_cut(function, steps))


def _is_cut(function: Function, steps: Sequence[Step]) -> bool:
    """Whether a listing ends where control would go on: behind padding, a whole one ends, returns or jumps."""
    pairs = zip(reversed(steps), reversed(function.instructions), strict=True)
    last = next((step for step, each in pairs if each.root != "NOP"), None)
    return last is not None and (last.guarded or last.work.act not in (Act.EXIT, Act.BRANCH))


def _without_surplus(walker: _Walker, items: tuple[Item, ...], loads: float) -> tuple[Item, ...]:
    def surplus(items: tuple[Item, ...]) -> float:
        counts = executed(items, len(walker.steps))
        return sum(n for n, step in zip(counts, walker.steps, strict=True) if step.work.act is Act.LOAD) - loads

    spare = _SURPLUS * loads
    over = surplus(items)
    ordered = sorted(walker.skippable(items), key=lambda each: -each[1])
    # many alike (the slow path of each sine): all at once, then one by one what that leaves
    for chosen in (_apart(ordered, walker, over, spare), *([at] for at, _ in ordered)):
        own = sum(each for at, each in ordered if at in chosen)
        if over < spare or own > over + spare or walker.taken.issuperset(chosen):
            continue
        walker.taken.update(chosen)
        fewer = tuple(walker.walk(0, len(walker.steps) - 1, None))
        left = surplus(fewer)
        if left >= -spare:
            items, over = fewer, left
        else:
            walker.taken.difference_update(chosen)
    return items


def _apart(ordered: Sequence[tuple[int, int]], walker: _Walker, over: float, spare: float) -> list[int]:
    """Branches of which none lies within another and that together jump over the surplus, at most."""
    chosen: list[int] = []
    for at, own in ordered:
        if own <= over + spare and over >= spare and not any(c < at < walker.targets[c] for c in chosen):
            chosen.append(at)
            over -= own
    return chosen


_SURPLUS = 0.1
"""Of the loads expected: a difference that is not worth another way."""


def executed(items: Sequence[Item], size: int) -> list[float]:
    """How often a mean warp executes each of `size` steps."""
    counts = [0.0] * size

    def add(items: Sequence[Item], times: float) -> None:
        for item in items:
            if isinstance(item, int):
                counts[item] += times
            else:
                add(item.body, times * item.trips)

    add(items, 1.0)
    return counts


def _targets(function: Function) -> dict[int, int]:
    """By index of a branch: the index it goes to."""
    offsets = {each.offset: index for index, each in enumerate(function.instructions) if each.offset >= 0}
    found: dict[int, int] = {}
    for index, instruction in enumerate(function.instructions):
        target = branch_target(instruction, function.labels, offsets)
        if target is not None:
            found[index] = target
    return found


def _natural(steps: Sequence[Step], targets: Mapping[int, int]) -> list[tuple[int, int]]:
    """Loops in one piece, as (first, last); code behind the end that returns, and spinning, are none."""
    loops: dict[int, int] = {}
    for index, target in targets.items():
        if target >= index or any(_ends(step) for step in steps[target:index]):
            continue
        spins = any(step.work.act is Act.PHASE for step in steps[target:index])
        if not spins or index - target > _SPIN_INSTRUCTIONS:
            loops[target] = max(loops.get(target, 0), index)
    return sorted(loops.items())


def _ends(step: Step) -> bool:
    return step.work.act is Act.EXIT and not step.guarded


def _nested(loops: Sequence[tuple[int, int]], steps: Sequence[Step]) -> tuple[_Loop, ...]:
    def inside(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
        return inner != outer and outer[0] <= inner[0] and inner[1] <= outer[1]

    def build(own: Sequence[tuple[int, int]]) -> tuple[_Loop, ...]:
        outermost = [each for each in own if not any(inside(each, other) for other in own)]
        return tuple(one(each, [other for other in own if inside(other, each)]) for each in outermost)

    def one(span: tuple[int, int], within: Sequence[tuple[int, int]]) -> _Loop:
        inner = build(within)
        covered = {at for loop in inner for at in range(loop.first, loop.last + 1)}
        acts = (steps[at].work.act for at in range(span[0], span[1] + 1) if at not in covered)
        return _Loop(*span, Counter(_MOVES[act] for act in acts if act in _MOVES), inner)

    return build(loops)


def _all(loops: Sequence[_Loop]) -> Iterator[_Loop]:
    for loop in loops:
        yield loop
        yield from _all(loop.inner)


def _likeness(loop: _Loop, run: LoopRun) -> float | None:
    """How well a loop of the assembly fits one of the IR; None where it cannot be it."""
    if set(loop.moves) == set(run.moves):
        return 7.0 if loop.moves else 5.0
    if run.moves and set(run.moves) <= set(loop.moves):
        return 4.0
    return 2.0 if set(loop.moves) & set(run.moves) else None


def _assign(loops: Sequence[_Loop], runs: Sequence[LoopRun], trips: dict[int, tuple[float, float]]) -> int:
    """Give each loop its trips by the best alignment in order; returns how many are unknown."""
    matched = _aligned(loops, runs)
    unknown = 0
    for position, run in enumerate(runs):
        own = [loops[at] for at, other in matched if other == position]
        if own and run.trips is None:
            unknown += 1
        rest, most = (1.0, 1.0) if run.trips is None else (run.trips, float(run.longest or run.trips))
        most = max(rest, most)
        for number, loop in enumerate(own):
            unrolled = _unrolled(loop, run)
            last = number == len(own) - 1 and unrolled == 1
            gone = rest / unrolled if last else float(int(rest / unrolled + 0.02))
            trips[loop.first] = (gone, gone * most / rest if rest else gone)
            rest -= gone * unrolled
            unknown += _assign(loop.inner, run.inner, trips)
    return unknown


def _unrolled(loop: _Loop, run: LoopRun) -> int:
    ratios = sorted(
        loop.moves[kind] / run.moves[kind] for kind in _COUNTED if run.moves.get(kind) and kind in loop.moves
    )
    return max(1, round(ratios[len(ratios) // 2])) if ratios else 1


_UNROLLED_AWAY, _REMAINDER, _MOST_PARTS = 3.0, 1.0, 4


def _aligned(loops: Sequence[_Loop], runs: Sequence[LoopRun]) -> tuple[tuple[int, int], ...]:
    """Pairs (loop, run) in order, of the highest likeness; several loops in a row can be one run."""

    @cache
    def best(at: int, run: int) -> tuple[float, tuple[tuple[int, int], ...]]:
        if at == len(loops) or run == len(runs):
            left = sum(5.0 if loop.moves else 0.0 for loop in loops[at:])
            return -_UNROLLED_AWAY * (len(runs) - run) - left, ()
        skipped, pairs = best(at + 1, run)
        options = [(skipped - (5.0 if loops[at].moves else 0.5), pairs)]
        gone, pairs = best(at, run + 1)
        options.append((gone - _UNROLLED_AWAY, pairs))
        for end in range(at + 1, min(len(loops), at + _MOST_PARTS) + 1):
            fits = _likeness(loops[end - 1], runs[run])
            if fits is None:
                break
            score, pairs = best(end, run + 1)
            first = _likeness(loops[at], runs[run]) or 0.0
            own = tuple((part, run) for part in range(at, end))
            options.append((score + first - _REMAINDER * (end - at - 1), own + pairs))
        return max(options, key=lambda option: option[0])

    return best(0, 0)[1]


@dataclass(frozen=True, slots=True)
class _Walker:
    function: Function
    steps: Sequence[Step]
    targets: Mapping[int, int]
    loops: Mapping[int, _Loop]
    trips: Mapping[int, tuple[float, float]]
    taken: set[int]
    jumps: dict[int, bool]
    """Whether a guarded branch is taken for the loops it jumps over, of those met: `taken` does not change it."""

    def skippable(self, items: Sequence[Item]) -> Iterator[tuple[int, int]]:
        """Guarded branches outside loops on a way, with the loads that each jumps over."""
        for at in items:
            if isinstance(at, int) and self.steps[at].guarded and (target := self.targets.get(at, 0)) > at:
                inside = range(at + 1, target)
                own = sum(self.steps[i].work.act is Act.LOAD for i in inside)
                if own and not any(first in inside and self._runs(first) for first in self.loops):
                    yield at, own

    def walk(self, at: int, end: int, inside: int | None) -> Iterator[Item]:
        """The items from `at` to `end`, within the loop that begins at `inside`."""
        while at <= end:
            if at != inside and at in self.loops and self._runs(at):
                loop = self.loops[at]
                yield Repeat(*self.trips[at], tuple(self.walk(at, loop.last, at)))
                at = loop.last + 1
                continue
            yield at
            step = self.steps[at]
            if _ends(step):
                return
            following = self._following(at, end) if step.work.act is Act.BRANCH else at + 1
            if following is None:
                return
            at = following

    def _runs(self, first: int) -> bool:
        return self.trips.get(first, (0.0, 0.0))[0] > 0.0

    def _following(self, at: int, end: int) -> int | None:
        """Where a branch leads; None where it ends the way (padding that jumps to itself)."""
        target = self.targets.get(at)
        if target == at:
            return None
        if target is None or target < at or target > end + 1:
            return at + 1
        if at in self.taken:
            return target
        if not self.steps[at].guarded:
            return target if self._is_unconditional(at) else at + 1
        if at not in self.jumps:
            self.jumps[at] = self._skips_idle(at, target) or self._falls_past(at, target)
        return target if self.jumps[at] else at + 1

    def _is_unconditional(self, at: int) -> bool:
        operands = self.function.instructions[at].operands
        return not (len(operands) > 1 and operands[0].lstrip("!").startswith(("P", "UP")))

    def _skips_idle(self, at: int, target: int) -> bool:
        """Whether a branch jumps over a loop or call that does not run.

        Of several branches that do, the outermost if nothing is moved in between, else the one closest to it.
        """
        idle = [(loop.first, loop.last) for loop in self.loops.values() if not self._runs(loop.first)]
        idle += [(call, call) for call in self._calls(at, target)]
        for first, last in idle:
            if not at < first <= last < target:
                continue
            others = (self.steps[i].work.act for i in range(at + 1, target) if not first <= i <= last)
            closer = any(at < i < first and last < to and self.steps[i].guarded for i, to in self.targets.items())
            if not closer or not any(act in _MOVES for act in others):
                return True
        return False

    def _calls(self, at: int, target: int) -> Iterator[int]:
        return (i for i in range(at + 1, target) if self.function.instructions[i].root == "CALL")

    def _falls_past(self, at: int, target: int) -> bool:
        """Whether falling through would jump over a loop that runs."""
        for i in range(at + 1, target):
            to = self.targets.get(i, 0)
            if to > target and not self.steps[i].guarded:
                return any(target <= first < to and self._runs(first) for first in self.loops)
        return False
