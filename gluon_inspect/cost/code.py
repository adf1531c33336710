"""What a kernel's assembly says about one launch: executed instructions, busy units, spills, the chain."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from gluon_inspect.assembly.counts import functions_of
from gluon_inspect.cost.chain import Chained, Latency, chain, pipe_cycles
from gluon_inspect.cost.program import Act, Pipe, Step, steps_of
from gluon_inspect.cost.walk import Item, Repeat, Way, executed, way_through
from gluon_inspect.model.asm import Assembly, Function, Instruction
from gluon_inspect.model.loops import LoopRun
from gluon_inspect.targets.clocks import Clocks

_OFFSET = re.compile(r"\[\w*\s*\+?\s*(-?0x[0-9a-f]+)?\]")
_LANES, _BYTE = 32, 8


@dataclass(frozen=True, slots=True)
class Code:
    """One kernel's steps and the way of a mean warp through them.

    `longest`: the same way for the program with the most trips, over that of the mean one (1 where all are alike).
    """

    function: Function
    steps: Sequence[Step]
    way: Way
    counts: Sequence[float] = field(repr=False)
    kinds: Sequence[tuple[Step, float]] = field(repr=False)
    """Each different step once, with how often a mean warp executes all that are equal."""

    def instructions(self) -> float:
        """Executed by a mean warp."""
        return sum(self.counts)

    def busy_cycles(self, clocks: Clocks) -> dict[Pipe, float]:
        """Cycles of each unit of an SM's quarter for one warp."""
        busy = dict.fromkeys(Pipe, 0.0)
        for step, times in self.kinds:
            busy[Pipe.ISSUE] += times
            busy[step.work.pipe] += times * pipe_cycles(step, clocks)
        return busy

    def of(self, act: Act) -> float:
        """Steps of a kind that a mean warp executes."""
        return sum(times for step, times in self.kinds if step.work.act is act)

    def local_bytes(self, act: Act) -> float:
        """Bytes of local memory that a mean thread loads or stores."""
        return sum(times * step.work.bits / _BYTE for step, times in self.kinds if step.work.act is act)

    def frame_bytes(self) -> int:
        """Local memory of a thread that spills use; steps behind the function's own are no instructions of it."""
        pairs = zip(self.steps, self.function.instructions, strict=False)
        return sum(
            {
                _offset(instruction): step.work.bits // _BYTE
                for step, instruction in pairs
                if step.work.act in (Act.LOCAL_LOAD, Act.LOCAL_STORE)
            }.values()
        )

    def chain(self, clocks: Clocks, latency: Latency, warps: int) -> Chained:
        """The warps of one CTA issued in order to the end."""
        return chain(self.steps, self.way.items, clocks, latency, warps)

    def without(self, dropped: Callable[[Instruction], bool]) -> Code:
        """The code as if some instructions did not stand in it; the others keep order and waits."""
        return self.edited(lambda each, step: (step, 0.0 if dropped(each) else 1.0))

    def edited(self, edit: Callable[[Instruction, Step], tuple[Step, float]]) -> Code:
        """The code with each step replaced by as many of another as `edit` says (a mean over equal edits)."""
        edits = [edit(each, step) for each, step in zip(self.function.instructions, self.steps, strict=True)]
        steps = [step for step, _ in edits]
        owed = {times: max(0.0, 1.0 - times) for _, times in edits}
        way = replace(self.way, items=tuple(_kept(self.way.items, [times for _, times in edits], owed)))
        counts = executed(way.items, len(steps))
        return replace(self, steps=steps, way=way, counts=counts, kinds=_kinds(steps, counts))

    def spread(self) -> float:
        """Instructions of the longest program over those of the mean one."""
        mean = self.instructions()
        return max(1.0, _longest(self.way.items) / mean) if mean else 1.0


def code_of(assembly: Assembly, kernel: str, runs: Sequence[LoopRun], loads: float | None = None) -> Code | None:
    """The code of a kernel; None where the assembly has no scheduling control to issue it by."""
    functions = functions_of(assembly, kernel)
    named = [function for function in functions if function.name == kernel] or list(functions)
    if assembly.dialect != "sass" or not named or not any(each.control for each in named[0].instructions):
        return None
    function = named[0]
    steps = steps_of(function.instructions)
    way = way_through(function, steps, runs, loads)
    counts = executed(way.items, len(steps))
    return Code(function, steps, way, counts, _kinds(steps, counts))


def _kinds(steps: Sequence[Step], counts: Sequence[float]) -> tuple[tuple[Step, float], ...]:
    kinds: dict[int, tuple[Step, float]] = {}
    for step, times in zip(steps, counts, strict=True):
        if times:
            kinds[id(step)] = (step, kinds.get(id(step), (step, 0.0))[1] + times)
    return tuple(kinds.values())


def _kept(items: Sequence[Item], times: Sequence[float], owed: dict[float, float]) -> Iterator[Item]:
    """The way with each step as often as `times` says; `owed`: fractions that add up to the next whole step."""
    for item in items:
        if isinstance(item, Repeat):
            if body := tuple(_kept(item.body, times, owed)):
                yield replace(item, body=body)
            continue
        share = times[item]
        owed[share] += share
        whole = int(owed[share] + 1e-9)
        owed[share] -= whole
        yield from (item for _ in range(whole))


def _longest(items: Sequence[Item]) -> float:
    return sum(1.0 if isinstance(item, int) else item.longest * _longest(item.body) for item in items)


def _offset(instruction: Instruction) -> str:
    found = _OFFSET.search(instruction.text)
    return (found[1] or "0") if found else ""
