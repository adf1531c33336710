"""Where a warp stands during the time of a launch, and for what: the chain's waits, and those of full queues.

The chain says what one program waits for. Where something else sets the time, a program lives longer than its
chain, and stands where that queue is met: for memory that is read, at the first use of what was loaded; on the way
to the L2, at loads and stores; for a unit, at its instructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import log2

from gluon_inspect.assembly.counts import author_line
from gluon_inspect.cost.chain import pipe_cycles
from gluon_inspect.cost.code import Code
from gluon_inspect.cost.processor import Processor
from gluon_inspect.cost.program import Act, Pipe
from gluon_inspect.model.cost import Resource, Stall, Standing

_STALLS = tuple(Stall)
_AT_BARRIER = 0.1
"""Of what warps wait for data, the part that those served first spend at the next barrier, for each doubling of
the warps: 0.05 of two, 0.2 of four, 0.3 of eight and 0.35 of 16 in 30 profiled reductions, scans and norms."""
_LEAST = 1e-3
_READS = (Resource.DRAM, Resource.L2_BYTES)
_WAYS = (Resource.L2_PATH, Resource.L2_REQUESTS)
_PIPES = {
    Resource.ISSUE: Pipe.ISSUE,
    Resource.FMA: Pipe.FMA,
    Resource.ALU: Pipe.ALU,
    Resource.SPECIAL: Pipe.SPECIAL,
    Resource.FP64: Pipe.FP64,
    Resource.TENSOR: Pipe.TENSOR,
    Resource.SHARED: Pipe.MEMORY,
    Resource.L1: Pipe.MEMORY,
}


def standing(
    processor: Processor, code: Code, seconds: float, memory: Mapping[Resource, float], source_file: str
) -> tuple[Standing, ...]:
    """The steps at which a warp stands, in order, with shares of the time that add up to about 1."""
    loaded = processor.loaded(seconds, memory)
    stood = [list(row) for row in processor.near.between(processor.far, loaded)]
    life = seconds * processor.clock_hz(seconds) / processor.waves
    more = max(0.0, life - processor.program_cycles(loaded))
    _start_and_end(stood, code, processor.clocks.start)
    if more:
        _queue(stood, code, processor, memory, more)
    _meet_at_barriers(stood, code, processor.shape.warps)
    total = sum(map(sum, stood))
    return tuple(_told(code, stood, at, total, source_file) for at in _steps(stood, total)) if total else ()


def _steps(stood: Sequence[Sequence[float]], total: float) -> list[int]:
    return [at for at in range(len(stood[0])) if sum(row[at] for row in stood) >= _LEAST * total]


def _told(code: Code, stood: Sequence[Sequence[float]], at: int, total: float, source_file: str) -> Standing:
    instruction = code.function.instructions[at]
    stalls = {stall: row[at] / total for stall, row in zip(_STALLS, stood, strict=True) if row[at]}
    location = None if instruction.location is None else author_line(instruction.location, source_file)
    return Standing(at, instruction.text, location, sum(stalls.values()), stalls, instruction.text_line)


def _start_and_end(stood: Sequence[list[float]], code: Code, cycles: float) -> None:
    stood[_STALLS.index(Stall.NO_INSTRUCTION)][0] += cycles / 2
    stood[_STALLS.index(Stall.LG)][_end(code)] += cycles / 2


def _end(code: Code) -> int:
    """The step that ends a program; the last where none does."""
    pairs = enumerate(zip(code.steps, code.counts, strict=True))
    return max((at for at, (step, times) in pairs if step.work.act is Act.EXIT and times), default=-1)


def _queue(
    stood: Sequence[list[float]],
    code: Code,
    processor: Processor,
    memory: Mapping[Resource, float],
    cycles: float,
) -> None:
    """Spread what a program lives longer over the steps that wait for what is full."""
    busy = {name: each / processor.target.clock_hz for name, each in processor.busy.items()}
    parts = {**busy, **memory}
    fullest = max(parts, key=lambda name: parts[name])
    stall, weights = _at(fullest, stood, code, processor)
    total = sum(weights)
    if not total:
        return
    draining = 0.0 if fullest in _PIPES or fullest is Resource.ATOMICS else _DRAINING * cycles
    stood[_STALLS.index(Stall.LG)][_end(code)] += draining
    row = stood[_STALLS.index(stall)]
    for at, weight in enumerate(weights):
        row[at] += (cycles - draining) * weight / total


_DRAINING = 0.06
"""Of the wait for memory, what an ending program waits for its stores: 0.03 to 0.16 in seven profiled copies and
element-wise kernels."""


def _at(
    name: Resource, stood: Sequence[Sequence[float]], code: Code, processor: Processor
) -> tuple[Stall, Sequence[float]]:
    """What a warp waits for when a resource is full, and how that is spread over the steps."""
    long = stood[_STALLS.index(Stall.LONG_SCOREBOARD)]
    moving = [n if step.work.act in _MOVING else 0.0 for step, n in zip(code.steps, code.counts, strict=True)]
    if name in _WAYS:
        early = _early(moving, code.counts, _EARLIER_AT_WAYS)
        return Stall.LG, _shared_out(early, [step.work.act is Act.LOAD for step in code.steps], _AT_LOADS)
    if name is Resource.ATOMICS:
        return Stall.LONG_SCOREBOARD, _behind_atomics(code) or moving
    if name not in _PIPES:
        first = long.index(max(long)) if any(long) else -1
        later = _shared_out(_uses(code, first), [at == first for at in range(len(long))], _AT_FIRST_USE)
        return (Stall.LONG_SCOREBOARD, later) if first >= 0 else (Stall.LG, moving)
    pipe = _PIPES[name]
    pairs = zip(code.steps, code.counts, strict=True)
    uses = [n * pipe_cycles(s, processor.clocks) if pipe in (s.work.pipe, Pipe.ISSUE) else 0.0 for s, n in pairs]
    return _full(pipe, code), _early(uses, code.counts, _EARLIER_AT_UNITS)


def _full(pipe: Pipe, code: Code) -> Stall:
    """What the profiler calls the wait for a full unit."""
    if pipe is Pipe.TENSOR:
        return Stall.GMMA if any(step.work.is_grouped for step in code.steps) else Stall.MATH
    return {Pipe.MEMORY: Stall.MIO, Pipe.ISSUE: Stall.NOT_SELECTED, Pipe.SPECIAL: Stall.MIO}.get(pipe, Stall.MATH)


def _early(weights: Sequence[float], counts: Sequence[float], power: float) -> Sequence[float]:
    """The weights, where nothing repeats, of a program's first uses: older warps go first, new ones wait."""
    if any(weight and times > 1.0 for weight, times in zip(weights, counts, strict=True)):
        return weights
    ranks = accumulate(1.0 if weight else 0.0 for weight in weights)
    return [weight * rank**-power if weight else 0.0 for weight, rank in zip(weights, ranks, strict=True)]


_EARLIER_AT_WAYS, _EARLIER_AT_UNITS = 1.5, 0.5
"""How fast waiting for what is full falls off behind a program's first use of it. Of six profiled copies with a
full way to the L2, the first of 16 loads has 16 to 43 % of the samples, the fifth 2 to 4 %."""
_AT_LOADS = 0.7
"""Of the wait for a full way to the L2, what loads meet: 0.54 and 0.69 in two profiled strided copies."""
_AT_FIRST_USE = 0.65
"""Of the wait for memory, what the first use of loaded data takes: 0.3 to 0.85 in element-wise kernels."""


def _shared_out(weights: Sequence[float], chosen: Sequence[bool], share: float) -> Sequence[float]:
    """The weights, scaled so that the chosen steps have a share of the sum."""
    own = sum(weight for weight, mine in zip(weights, chosen, strict=True) if mine)
    rest = sum(weights) - own
    if not own or not rest:
        return weights
    return [
        weight * (share / own if mine else (1.0 - share) / rest)
        for weight, mine in zip(weights, chosen, strict=True)
    ]


def _uses(code: Code, first: int) -> Sequence[float]:
    """The first use, and the steps behind it that wait for a scoreboard that a load sets."""
    slow = {step.writes for step in code.steps if step.work.act is Act.LOAD}
    mask = sum(1 << board for board in slow if board >= 0)
    return [
        times if at == first or (at > first and step.waits & mask) else 0.0
        for at, (step, times) in enumerate(zip(code.steps, code.counts, strict=True))
    ]


def _behind_atomics(code: Code) -> Sequence[float]:
    """Fences for the whole card: what they wait for is met right behind them."""
    fences = [step.work.act is Act.FENCE and step.is_wide for step in code.steps]
    found = [times if before else 0.0 for times, before in zip(code.counts, [False, *fences[:-1]], strict=True)]
    return found if any(found) else ()


_MOVING = frozenset((Act.LOAD, Act.STORE, Act.ATOMIC, Act.COPY, Act.LOCAL_LOAD, Act.LOCAL_STORE))


def _meet_at_barriers(stood: Sequence[list[float]], code: Code, warps: int) -> None:
    """Warps of a CTA are not served at once: the first ones wait at the next barrier, once each time it is met.

    A barrier defers its wait: the warp stands before the next instruction that leaves the arithmetic units.
    """
    long, barrier = (stood[_STALLS.index(each)] for each in (Stall.LONG_SCOREBOARD, Stall.BARRIER))
    following, met, stands = -1, 0.0, -1
    share = _AT_BARRIER * log2(max(1, warps))
    for at in range(len(code.steps) - 1, -1, -1):
        step = code.steps[at]
        if step.work.act is Act.BARRIER and code.counts[at]:
            following, met = max(stands, at + 1), code.counts[at]
            if following < len(long):
                barrier[following] += barrier[at + 1] if following > at + 1 else 0.0
                barrier[at + 1] = barrier[at + 1] if following == at + 1 else 0.0
        elif 0 < following < len(long) and long[at]:
            moved = long[at] * share * min(1.0, met / code.counts[at]) if code.counts[at] else 0.0
            barrier[following] += moved
            long[at] -= moved
        if step.work.act not in _ARITHMETIC:
            stands = at


_ARITHMETIC = frozenset((Act.COMPUTE, Act.SPECIAL, Act.EXPECT, Act.BRANCH))
