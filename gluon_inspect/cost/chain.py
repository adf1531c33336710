"""One CTA's warps issued in order through the assembly: how long a program takes, and where a warp stands.

An instruction waits for the scoreboards of its mask and for its unit, then holds the warp for its stall count.
The warps of a CTA that share a scheduler run together: each takes its issue slot and its turn at the unit. A
load sets its scoreboard after the latency of where its data lies; asynchronous copies, matrix instructions and
bulk copies are ready by group. Loops are gone a few times, until the mean of the last passes stands for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from gluon_inspect.cost.program import Act, Pipe, Step
from gluon_inspect.cost.walk import Item, Repeat
from gluon_inspect.model.cost import Stall
from gluon_inspect.targets.clocks import Clocks

_PASSES, _STEADY = 8, 4
_SCOREBOARDS = 6
_SHORT = frozenset((Act.SHARED_LOAD, Act.SHARED_STORE, Act.SHUFFLE, Act.SPECIAL, Act.EXPECT, Act.CONSTANT))
_BY_GROUP = frozenset(
    (Act.COPY, Act.COMMIT, Act.AWAIT, Act.MATRIX, Act.MATRIX_AWAIT, Act.BULK, Act.PHASE, Act.EXPECT)
)
_PIPES = tuple(pipe for pipe in Pipe if pipe not in (Pipe.ISSUE, Pipe.NONE))
_STALLS = tuple(Stall)
_WAIT, _LONG, _SHORT_BOARD, _MATH, _NOT_SELECTED, _BARRIER, _GMMA, _MIO, _LG = (
    _STALLS.index(each)
    for each in (
        Stall.WAIT, Stall.LONG_SCOREBOARD, Stall.SHORT_SCOREBOARD, Stall.MATH,
        Stall.NOT_SELECTED, Stall.BARRIER, Stall.GMMA, Stall.MIO, Stall.LG,
    )
)  # fmt: skip
_GLOBAL = frozenset((Act.LOAD, Act.STORE, Act.COPY, Act.ATOMIC, Act.LOCAL_LOAD, Act.LOCAL_STORE))
_QUEUE_INSTRUCTIONS = 8.0
"""Memory instructions of a scheduler's warps that wait for an SM's data path before the next one cannot issue."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Cycles until the data of loads, of asynchronous copies, of bulk copies and of spills is there.

    `fetch`: cycles that a warp's load of 32 bits a lane keeps an SM's data path; `store`: that a store keeps its
    way to the L2, `spill` the same of local memory; `conflicts`: wavefronts of shared memory over those without
    bank conflicts.
    """

    load: float
    copy: float
    bulk: float
    local: float
    fetch: float = 1.0
    store: float = 5.4
    spill: float = 5.4
    conflicts: float = 1.0
    box: float = 0.0
    """Cycles that the box of a bulk copy keeps an SM's share of the L2."""
    loads: Mapping[int, float] = field(default_factory=dict[int, float])
    """By index of a step: what `load` is for a load whose access is known."""


@dataclass(frozen=True, slots=True)
class Chained:
    """`cycles` of a program; `stood[stall][step]`: cycles that a warp stands before a step for a reason."""

    cycles: float
    stood: Sequence[Sequence[float]]

    def between(self, other: Chained, share: float) -> Sequence[Sequence[float]]:
        """Where it stands `share` of the way from this chain to another of the same steps."""
        return [
            [near + (far - near) * share for near, far in zip(*rows, strict=True)]
            for rows in zip(self.stood, other.stood, strict=True)
        ]


def chain(steps: Sequence[Step], items: Sequence[Item], clocks: Clocks, latency: Latency, warps: int) -> Chained:
    """The `warps` of one CTA along a way."""
    timed = _Timed(clocks, latency, warps)
    # equal steps are one object, and there are few kinds of them
    rows = {id(step): step for step in steps}
    known = {key: timed.step(step) for key, step in rows.items()}
    ordered = [known[id(step)] for step in steps]
    for at, cycles in latency.loads.items():
        ordered[at] = _Timed(clocks, replace(latency, load=cycles), warps).step(steps[at])
    issue = _Issue(ordered, latency, clocks)
    issue.items(items, 1.0)
    # a program ends when its last store has left the SM
    return Chained(max(issue.now, *issue.free), issue.stood)


_Row = tuple[tuple[int, ...], int, int, float, float, float, int, int, float, bool, int, Step | None]
"""Boards to wait for; pipe, the stall that its queue means, cycles of it for all warps, cycles of work that may
queue up behind the issue; cycles that the step holds
them, the stall that this means; board that it sets, after how long, whether that is a slow one; board that its
reads set; the step itself where it works by group."""


@dataclass(frozen=True, slots=True)
class _Timed:
    """Steps with everything that does not depend on when they issue."""

    clocks: Clocks
    latency: Latency
    warps: int

    @property
    def together(self) -> int:
        """Warps of the CTA that share a scheduler."""
        return max(1, -(-self.warps // 4))

    def step(self, step: Step) -> _Row:
        """One step's row."""
        work = step.work
        pipe = _PIPES.index(work.pipe) if work.pipe in _PIPES else -1
        hold, why = self._hold(step)
        if hold < self.together:
            hold, why = float(self.together), _NOT_SELECTED
        busy = pipe_cycles(step, self.clocks) * self.together
        if work.pipe is Pipe.MEMORY:
            busy = self._path_cycles(step) * self.warps
        return (
            tuple(board for board in range(_SCOREBOARDS) if step.waits >> board & 1),
            pipe, *self._queue(step, busy),
            hold, why,
            step.writes, self._latency(step), work.act not in _SHORT,
            step.reads,
            step if work.act in _BY_GROUP else None,
        )  # fmt: skip

    def _queue(self, step: Step, busy: float) -> tuple[int, float, float]:
        """What a full queue is called, the cycles that the step adds to it, and how many it holds."""
        if step.work.is_grouped:
            return _GMMA, busy, inf
        if step.work.pipe is not Pipe.MEMORY:
            return _MATH, busy, 0.0
        held = max(1.0, _QUEUE_INSTRUCTIONS / self.together) * busy
        return (_LG if step.work.act in _GLOBAL else _MIO), busy, held

    def _path_cycles(self, step: Step) -> float:
        """Cycles of an SM's data path, or its way to the L2, for one warp: all warps of the CTA share it."""
        words = max(1.0, step.work.bits / 32)
        match step.work.act:
            case Act.SHARED_LOAD | Act.SHARED_STORE:
                return words * self.latency.conflicts
            case Act.STORE:
                return words * self.latency.store
            case Act.LOCAL_STORE:
                return words * self.latency.spill
            case Act.LOAD:
                return words * self.latency.fetch
            case Act.LOCAL_LOAD:
                return words
            case _:
                return 1.0

    def _hold(self, step: Step) -> tuple[float, int]:
        match step.work.act:
            case Act.BARRIER:
                return step.stall + self.clocks.barrier + self.clocks.barrier_warp * self.warps, _BARRIER
            case Act.FENCE:
                return step.stall + (self.clocks.fence_card if step.is_wide else self.clocks.fence), _BARRIER
            case _:
                return float(step.stall), _WAIT

    def _latency(self, step: Step) -> float:
        clocks, wide = self.clocks, step.work.bits / 32 * self.together
        match step.work.act:
            case Act.LOAD:
                return self.latency.load + wide
            case Act.COPY:
                return self.latency.copy
            case Act.ATOMIC:
                return clocks.atomic
            case Act.SHARED_LOAD:
                return clocks.shared + wide
            case Act.SHUFFLE:
                return clocks.shuffle + self.together
            case Act.LOCAL_LOAD:
                return self.latency.local + wide
            case Act.SPECIAL if step.work.pipe is Pipe.FP64:
                return clocks.double + clocks.fp64_cycles * self.together
            case Act.SPECIAL | Act.EXPECT:
                return clocks.special + step.work.cycles * self.together
            case Act.CONSTANT:
                return clocks.constant
            case Act.MATRIX:
                return clocks.matrix_tail / 2
            case _:
                return clocks.shared


class _Issue:
    """The clock of one CTA's warps."""

    def __init__(self, rows: Sequence[_Row], latency: Latency, clocks: Clocks) -> None:
        self.rows, self.latency, self.clocks = rows, latency, clocks
        self.now = self.last = self.held = 0.0
        self.held_for = _WAIT
        self.boards, self.slow = [0.0] * _SCOREBOARDS, [False] * _SCOREBOARDS
        self.free = [0.0] * len(_PIPES)
        self.copies: list[float] = []
        self.products: list[float] = []
        self.bulk: list[float] = []
        self.open_copies = self.boxes = 0.0
        self.is_open = self.expects = False
        self.stood = [[0.0] * len(rows) for _ in _STALLS]

    def items(self, items: Sequence[Item], times: float) -> None:
        """Go a way whose cycles count `times`."""
        block: list[int] = []
        for item in items:
            if isinstance(item, int):
                block.append(item)
                continue
            self.block(block, times)
            block = []
            self.repeat(item, times)
        self.block(block, times)

    def repeat(self, loop: Repeat, times: float) -> None:
        """Go a loop until its passes are alike, and let the others pass."""
        passes = max(1, min(int(loop.trips + 1e-9), _PASSES))
        more = max(0.0, loop.trips - passes)
        steady = min(_STEADY, passes)
        marks: list[float] = []
        for number in range(passes):
            marks.append(self.now)
            stand = 1.0 + more / steady if number >= passes - steady else 1.0
            self.items(loop.body, times * stand * min(1.0, loop.trips / passes))
        if more:
            self._shift(more * (self.now - marks[-steady]) / steady)

    def _shift(self, by: float) -> None:
        """Time passes in which everything under way moves along."""
        self.now += by
        self.last += by
        self.open_copies += by
        self.boxes += by
        for times in (self.boards, self.free, self.copies, self.products, self.bulk):
            times[:] = [each + by for each in times]

    def block(self, block: Sequence[int], times: float) -> None:
        """Issue steps in order; this is what the model's time goes into, so everything is at hand."""
        now, last, held, held_for = self.now, self.last, self.held, self.held_for
        boards, slow, free, stood, rows = self.boards, self.slow, self.free, self.stood, self.rows
        read = self.clocks.shared
        for at in block:
            waits, pipe, full, busy, held_up, hold, hold_for, writes, latency, is_slow, reads, grouped = rows[at]
            ready, why, lag = now, _WAIT, 0.0
            for board in waits:
                if boards[board] > ready:
                    ready, why = boards[board], _LONG if slow[board] else _SHORT_BOARD
            if grouped is not None:
                ready, why = self._awaited(grouped, ready, why)
            if pipe >= 0:
                # memory and a warp group's matrix instructions queue up behind the issue
                lag = max(0.0, free[pipe] - ready)
                if lag > held_up:
                    ready, why, lag = ready + lag - held_up, full, held_up
                free[pipe] = ready + lag + busy
            waited = ready - last
            if waited > held:
                stood[held_for][at] += times * held
                stood[why][at] += times * (waited - held)
            else:
                stood[held_for][at] += times * waited
            last, held, held_for = ready, hold, hold_for
            if grouped is not None:
                latency = self._begun(grouped, ready + lag, latency)
            begun = ready + lag
            if writes >= 0 and begun + latency > boards[writes]:
                boards[writes], slow[writes] = begun + latency, is_slow
            if reads >= 0 and begun + read > boards[reads]:
                boards[reads], slow[reads] = begun + read, is_slow
            now = ready + hold
        self.now, self.last, self.held, self.held_for = now, last, held, held_for

    def _awaited(self, step: Step, ready: float, why: int) -> tuple[float, int]:
        """When the groups that a step waits for are done."""
        act = step.work.act
        if act is Act.AWAIT:
            groups, reason = self.copies, _LONG
        elif act is Act.MATRIX_AWAIT:
            groups, reason = self.products, _GMMA
        else:
            return ready, why
        if step.pending >= len(groups):
            return ready, why
        done = groups[-1 - step.pending]
        del groups[: len(groups) - step.pending]
        return (done, reason) if done > ready else (ready, why)

    def _begun(self, step: Step, now: float, latency: float) -> float:
        """Open or close groups; returns the latency of what the step itself sets."""
        match step.work.act:
            case Act.COPY:
                self.open_copies = max(self.open_copies, now + self.latency.copy)
            case Act.COMMIT:
                self.copies.append(max(self.open_copies, self.copies[-1] if self.copies else 0.0))
                self.open_copies = 0.0
            case Act.MATRIX if step.closes:
                self.products.append(self.free[_PIPES.index(Pipe.TENSOR)] + self.clocks.matrix_tail)
            case Act.BULK:
                self.boxes = max(self.boxes, now) + self.latency.box
                if not self.is_open:
                    self.bulk.append(0.0)
                # boxes behind an arrival that expects their bytes are awaited together
                self.is_open = self.expects
                self.bulk[-1] = self.boxes + self.latency.bulk
            case Act.EXPECT:
                self.is_open, self.expects = False, True
            case Act.PHASE:
                arrived = self.bulk.pop(0) if self.bulk else now
                return max(self.clocks.phase, arrived - now)
            case _:
                pass
        return latency


def pipe_cycles(step: Step, clocks: Clocks) -> float:
    """Cycles that a step keeps its unit for one warp."""
    work = step.work
    match work.pipe:
        case Pipe.TENSOR:
            rate = clocks.matrix_products * (1.0 if work.is_grouped else clocks.warp_matrix / 4)
            return work.products * work.cycles / rate
        case Pipe.FMA:
            return max(work.cycles, clocks.fma_cycles)
        case Pipe.FP64:
            return clocks.fp64_cycles
        case _:
            return work.cycles
