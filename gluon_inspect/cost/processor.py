"""What the SMs do for one launch: busy units, the chain of a program, waves of programs, CTA starts.

Resources work side by side. The chain of one program and the units that other programs keep busy get in each
other's way less, the more programs an SM holds; memory stretches the chain as it fills up, so the time is where
the two agree (`seconds`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt

from gluon_inspect.cost.chain import Chained, Latency
from gluon_inspect.cost.code import Code
from gluon_inspect.cost.loads import cycles_by_load, fresh_share
from gluon_inspect.cost.program import Act, Pipe
from gluon_inspect.cost.times import together
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.cost import Resource
from gluon_inspect.model.target import Target
from gluon_inspect.targets.clocks import Clocks

_FAR = 2.5
"""The second chain has memory this much slower; in between, cycles are taken to grow evenly."""
_FULLEST = 0.985
_TURNS = 40
_NEAR = 2e-4
_STARTS_OVERLAP = 8.0
_UNITS = {
    Pipe.ISSUE: Resource.ISSUE,
    Pipe.FMA: Resource.FMA,
    Pipe.ALU: Resource.ALU,
    Pipe.SPECIAL: Resource.SPECIAL,
    Pipe.FP64: Resource.FP64,
    Pipe.TENSOR: Resource.TENSOR,
}
_CROWDED = (Resource.DRAM, Resource.L2_BYTES, Resource.L2_REQUESTS)
"""Memories whose load stretches latencies."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a launch lies on the card: CTAs, warps each, the most that an SM holds at once."""

    programs: int
    warps: int
    most: int
    sms: int

    @property
    def used(self) -> int:
        """SMs that take part."""
        return min(self.sms, self.programs)

    @property
    def each(self) -> float:
        """Programs of the busiest SM."""
        return float(ceil(self.programs / self.sms))

    @property
    def resident(self) -> float:
        """Programs that it holds at once."""
        return max(1.0, min(float(self.most), self.each))


@dataclass(frozen=True, slots=True)
class Processor:
    """`busy`: cycles of each unit of the busiest SM. `near`, `far`: chains with memory idle and slow.

    `mended`: the same three, were all accesses in the fewest sectors and without bank conflicts.
    """

    target: Target
    clocks: Clocks
    shape: Shape
    busy: Mapping[Resource, float]
    near: Chained
    far: Chained
    waves: float
    mended: tuple[float, Chained, Chained]

    def with_mended(self, path: float, share: float) -> Processor:
        """The SMs, were shares (0 to 1) of what patterns cost their data path, and their warps, mended."""
        data, near, far = self.mended
        wavefronts = self.busy[Resource.SHARED]
        return replace(
            self,
            busy={**self.busy, Resource.SHARED: wavefronts + (data - wavefronts) * path},
            near=replace(self.near, cycles=self.near.cycles + (near.cycles - self.near.cycles) * share),
            far=replace(self.far, cycles=self.far.cycles + (far.cycles - self.far.cycles) * share),
        )

    def seconds(self, memory: Mapping[Resource, float]) -> tuple[float, Mapping[Resource, float]]:
        """The launch's time, given how long each part of the memory is busy; and what keeps each resource busy."""
        time = max(1e-7, *memory.values()) * 1.02
        for _ in range(_TURNS):
            found, parts = self._once(time, memory)
            if abs(found / time - 1.0) < _NEAR:
                return found, parts
            time = sqrt(time * found)
        return self._once(time, memory)

    def loaded(self, time: float, memory: Mapping[Resource, float]) -> float:
        """How far from the near to the far chain memory stretches latencies, 0 where it is idle."""
        crowd = min(_FULLEST, max(memory.get(each, 0.0) for each in _CROWDED) / time)
        return self.clocks.loading * sqrt(crowd / (1.0 - crowd)) / (_FAR - 1.0)

    def program_cycles(self, loaded: float) -> float:
        """Cycles of one program."""
        return self.near.cycles + (self.far.cycles - self.near.cycles) * loaded + self.clocks.start

    def clock_hz(self, time: float) -> float:
        """The clock while the launch runs: power for matrix work lowers it."""
        # the first guess of the time may be shorter than the matrix work alone
        tensor = min(1.0, self.busy.get(Resource.TENSOR, 0.0) / self.target.clock_hz / time)
        clocks = self.clocks
        share = clocks.matrix_clock - clocks.matrix_clock_slope * tensor if tensor > 0.05 else clocks.busy_clock
        return self.target.clock_hz * share

    def _once(self, time: float, memory: Mapping[Resource, float]) -> tuple[float, Mapping[Resource, float]]:
        hz, clocks = self.clock_hz(time), self.clocks
        chain = (self.program_cycles(self.loaded(time, memory)) * self.waves + clocks.first) / hz
        units = {name: cycles / hz for name, cycles in self.busy.items() if name is not Resource.STARTS}
        starts = self.busy[Resource.STARTS] / hz
        resident = self.shape.resident
        others = 1.0 - 1.0 / resident
        exponent = clocks.overlap_alone + clocks.overlap_program * resident
        crowded = together((chain, *(each * others ** (1.0 / exponent) for each in units.values())), exponent)
        inside = max(crowded, *units.values())
        lone = memory.get(Resource.ATOMICS, 0.0)
        outside = together(
            (each for name, each in memory.items() if name is not Resource.ATOMICS), _MEMORY_EXPONENT
        )
        total = together((together((inside, outside), clocks.memory_overlap), lone), _ATOMICS_EXPONENT)
        parts = {**memory, **units, Resource.LATENCY: chain, Resource.STARTS: starts}
        return together((total, starts), _STARTS_OVERLAP), parts


_MEMORY_EXPONENT = 4.0
_ATOMICS_EXPONENT = 2.0
"""Programs end with their atomics: they overlap with other programs only (three sums by atomics)."""


def processor(
    target: Target,
    clocks: Clocks,
    code: Code,
    shape: Shape,
    accesses: Sequence[Access],
    flops: int | None,
    store_cycles: float,
    line_cycles: float,
) -> Processor:
    """The SMs of a launch whose assembly is known.

    `store_cycles`: what all stores of the launch keep the SMs' ways to the L2, summed; `line_cycles`: what a line
    of 128 bytes keeps it.
    """
    latency = _latency(accesses, clocks, target, code, shape, (store_cycles, line_cycles))
    better = replace(latency, fetch=min(1.0, latency.fetch), store=min(line_cycles, latency.store), conflicts=1.0)
    near, far = _chains(code, clocks, latency, shape)
    busy = _busy(target, clocks, code, shape, accesses, flops)
    mended = (near, far) if better == latency else _chains(code, clocks, better, shape)
    ideal = busy[Resource.SHARED] - sum(map(surplus_wavefronts, accesses)) * shape.each / shape.programs
    return Processor(
        target, clocks, shape, busy, near, far, _waves(shape, code.spread()), (max(0.0, ideal), *mended)
    )


def _chains(code: Code, clocks: Clocks, latency: Latency, shape: Shape) -> tuple[Chained, Chained]:
    near = code.chain(clocks, latency, shape.warps)
    return near, code.chain(clocks, _slower(latency), shape.warps)


def surplus_wavefronts(access: Access) -> float:
    """Cycles of an SM's data path that an access takes for its pattern."""
    if access.space is Space.SHARED:
        return max(0.0, float(access.wavefronts or 0) - (access.wavefronts_ideal or access.wavefronts or 0))
    if access.locality is None or access.direction is Direction.COPY:
        return 0.0
    return max(0.0, access.locality.wavefronts - (access.bytes_requested or 0) / _LINE_BYTES)


_LINE_BYTES = 128.0


def _waves(shape: Shape, spread: float) -> float:
    """Programs that follow one another on an SM; where lengths differ, the last long one runs on alone."""
    exact = max(1.0, shape.programs / shape.sms / shape.resident)
    if spread > 1.05:
        return exact + (spread - 1.0) * _LATE
    return float(ceil(exact - 1e-9))


_LATE = 0.5
"""Of a program that is longer than the mean, the part that is still to go when the others end (assumed)."""


def _slower(latency: Latency) -> Latency:
    return replace(
        latency,
        load=latency.load * _FAR,
        copy=latency.copy * _FAR,
        bulk=latency.bulk * _FAR,
        loads={at: cycles * _FAR for at, cycles in latency.loads.items()},
    )


def _latency(
    accesses: Sequence[Access],
    clocks: Clocks,
    target: Target,
    code: Code,
    shape: Shape,
    ways: tuple[float, float],
) -> Latency:
    """Mean latencies of loads and of copies, by what of them comes from DRAM."""
    loads, copies = (0.0, 0.0), (0.0, 0.0)
    for access in accesses:
        if access.space is not Space.GLOBAL or not access.sectors:
            continue
        touched = access.sectors * 32.0
        fresh = touched * fresh_share(access)
        if access.direction is Direction.LOAD:
            loads = (loads[0] + touched, loads[1] + fresh)
        elif access.direction is Direction.COPY:
            copies = (copies[0] + touched, copies[1] + fresh)

    def mean(moved: tuple[float, float]) -> float:
        share = moved[1] / moved[0] if moved[0] else 1.0
        return share * clocks.load_dram + (1.0 - share) * clocks.load_l2

    copy = mean(copies)
    shared = [
        a for a in accesses if a.space is Space.SHARED and a.direction is not Direction.COPY and not a.is_bulk
    ]
    wavefronts = sum(a.wavefronts or 0 for a in shared)
    ideal = sum(a.wavefronts_ideal or a.wavefronts or 0 for a in shared)
    loaded, stored = (_words(code, act) * shape.programs * shape.warps for act in (Act.LOAD, Act.STORE))
    fetched = sum(a.locality.wavefronts for a in accesses if a.locality and a.direction is Direction.LOAD)
    return Latency(
        mean(loads),
        copy * (1.0 + clocks.copy_more / clocks.load_dram),
        clocks.bulk,
        clocks.local,
        fetch=fetched / loaded if loaded and fetched else 1.0,
        store=ways[0] / stored if stored else ways[1],
        spill=ways[1],
        conflicts=max(1.0, wavefronts / ideal) if ideal else 1.0,
        box=_box_cycles(accesses, clocks, target),
        loads=cycles_by_load(accesses, code, shape.programs * shape.warps, clocks),
    )


def _box_cycles(accesses: Sequence[Access], clocks: Clocks, target: Target) -> float:
    """Cycles that the mean box of a bulk copy takes of what the L2 hands to one SM."""
    boxes = [a for a in accesses if a.space is Space.GLOBAL and a.direction is Direction.COPY and a.transactions]
    moved, issued = sum(a.bytes_requested or 0 for a in boxes), sum(a.transactions or 0 for a in boxes)
    return moved / issued * target.clock_hz * target.sms / clocks.l2_bytes_per_second if issued else 0.0


def _words(code: Code, act: Act) -> float:
    """32-bit words a lane (one at least) of a kind of instructions that a mean warp executes, masked or not."""
    return sum(times * max(1.0, step.work.bits / 32) for step, times in code.kinds if step.work.act is act)


def _busy(
    target: Target, clocks: Clocks, code: Code, shape: Shape, accesses: Sequence[Access], flops: int | None
) -> Mapping[Resource, float]:
    warps = shape.each * shape.warps
    units = code.busy_cycles(clocks)
    busy = {name: units[pipe] * warps / target.simds_per_sm for pipe, name in _UNITS.items() if units[pipe]}
    per_sm = shape.each / shape.programs
    data = sum(_data_wavefronts(access, clocks) for access in accesses) * per_sm
    busy[Resource.L1] = sum(_tags(access) for access in accesses) * per_sm
    data += code.of(Act.SHUFFLE) * warps
    data += (code.local_bytes(Act.LOCAL_LOAD) + code.local_bytes(Act.LOCAL_STORE)) / 4 * warps
    busy[Resource.SHARED] = data
    if flops and not units[Pipe.TENSOR]:
        busy[Resource.TENSOR] = flops / 2 / clocks.matrix_products * per_sm
    busy[Resource.STARTS] = clocks.launch_cta * shape.each if shape.programs > shape.sms else 0.0
    return busy


def _data_wavefronts(access: Access, clocks: Clocks) -> float:
    """Cycles of an SM's data path: what asynchronous copies write without conflicts goes in beside it."""
    if access.space is Space.SHARED:
        wavefronts = access.wavefronts or 0
        if access.direction is not Direction.COPY:
            return float(wavefronts)
        ideal = min(wavefronts, access.wavefronts_ideal or wavefronts)
        return wavefronts - ideal * (1.0 - clocks.queue_wave)
    if access.space is Space.GLOBAL and access.locality and access.direction is not Direction.COPY:
        return float(access.locality.wavefronts)
    return 0.0


def _tags(access: Access) -> float:
    """Lines that an SM's L1 looks up for asynchronous copies, one a cycle; those of loads are in the data path."""
    copies = access.space is Space.GLOBAL and access.direction is Direction.COPY and access.requests
    return float(access.lines or 0) if copies else 0.0
