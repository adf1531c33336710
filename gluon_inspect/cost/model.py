"""Expected time of a memory-bound kernel from static numbers, and the resource that sets it.

Each access becomes a flow through L1, L2 and DRAM (`flow`), the flows add up, and each resource is busy for so
long (`times`); work on different resources overlaps, but not freely. Programs in flight and instructions give
one more bound, latency. Nothing here touches a GPU, and a call takes well under a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from gluon_inspect.cost.band import band_of
from gluon_inspect.cost.code import Code
from gluon_inspect.cost.flow import Flow, Machine, flow_of, ideal_flow, local_flow, plain_locality, spill_flow
from gluon_inspect.cost.gathered import gathered, is_gathered
from gluon_inspect.cost.processor import Processor, Shape, processor, surplus_wavefronts
from gluon_inspect.cost.program import Act
from gluon_inspect.cost.rates import Rates, rates_of
from gluon_inspect.cost.standing import standing
from gluon_inspect.cost.times import busy, path_cycles, together
from gluon_inspect.cost.trust import assumed, confidence_of, leaves_out
from gluon_inspect.cost.work import WITHOUT_OCCUPANCY, Work, is_counted
from gluon_inspect.model.access import Access, Direction, Locality, Space
from gluon_inspect.model.cost import AccessCost, KernelCost, Resource, Standing
from gluon_inspect.model.target import Target
from gluon_inspect.targets.clocks import Clocks, clocks_of

_SETUP_INSTRUCTIONS = 60
_INSTRUCTIONS_PER_REQUEST = 4.0
"""Where the binary is not known: index arithmetic and predicates around each load or store of a warp.

Medians of the 269 copy kernels of benchmarks/device; only latency depends on them.
"""


def kernel_cost(work: Work, accesses: Sequence[Access]) -> KernelCost | None:
    """Expected time of one launch; None where nothing of its global traffic is known.

    Accesses whose counts are unknown are guessed (`gathered`) or left out, and named in `assumed`.
    """
    counted = _counted(work, accesses)
    if not _is_timed(work, counted):
        return None
    rates = rates_of(work.target)
    machine, flows, spills, timer = _laid_out(work, counted)
    total = sum(flows, start=spills)
    seconds, parts = timer(total, _NOTHING)
    lost = _lost(work, counted, flows, spills, timer)
    costs = tuple(
        _access_cost(work, each, own, machine, loss) for each, own, loss in zip(counted, flows, lost, strict=True)
    )
    limiting = max(parts, key=lambda each: parts[each])
    left_out, is_guess = leaves_out(work, accesses), _rests_on_guesses(work, accesses, seconds)
    return KernelCost(
        seconds=seconds,
        limiting=limiting,
        parts=parts,
        per_access=costs,
        confidence=confidence_of(work, accesses, counted),
        model=rates.status,
        assumed=tuple(assumed(work, accesses, counted)),
        band=None if left_out or is_guess else band_of(limiting, issued=isinstance(timer, _Issued)),
        standing=timer.standing(total) if isinstance(timer, _Issued) else (),
        has_code=isinstance(timer, _Issued),
        is_whole=isinstance(timer, _Issued) and work.occupancy is not None and not (left_out or is_guess),
        is_lower_bound=left_out,
    )


def kernel_seconds(work: Work, accesses: Sequence[Access]) -> float:
    """Expected seconds of one launch alone, for work that was changed to see what the change gives."""
    return _alone(work, _counted(work, accesses))


def known_seconds(work: Work, accesses: Sequence[Access]) -> float | None:
    """The seconds of `kernel_cost` without what each access loses, which takes most of its time; None as there."""
    counted = _counted(work, accesses)
    return _alone(work, counted) if _is_timed(work, counted) else None


def _alone(work: Work, counted: Sequence[Access]) -> float:
    _, flows, spills, timer = _laid_out(work, counted)
    return timer(sum(flows, start=spills), _NOTHING)[0]


def _is_timed(work: Work, counted: Sequence[Access]) -> bool:
    return work.programs >= 1 and (any(each.space is Space.GLOBAL for each in counted) or bool(work.code))


def _counted(work: Work, accesses: Sequence[Access]) -> list[Access]:
    found = gathered(accesses, work.code, work.programs * work.num_warps, work.num_warps)
    return [each for each in found if is_counted(each)]


def _rests_on_guesses(work: Work, accesses: Sequence[Access], seconds: float) -> bool:
    """Whether guessed traffic makes more than a small part of the time."""
    known = [each for each in accesses if not is_gathered(each)]
    if work.code is None or len(known) == len(accesses):
        return False
    return kernel_seconds(work, known) < (1.0 - _SMALL) * seconds


_SMALL = 0.02
"""Of the time: less is lost in the band."""


def _laid_out(work: Work, counted: Sequence[Access]) -> tuple[Machine, Sequence[Flow], Flow, Timer]:
    machine = _machine(work, counted, rates_of(work.target))
    flows = [flow_of(each, machine) for each in counted]
    return machine, flows, _spills(work, machine), _timer(work, counted, machine)


Mended = tuple[float, float]
"""Shares (0 to 1) of what patterns cost an SM's data path, and its warps, that are mended."""
_NOTHING, _ALL = (0.0, 0.0), (1.0, 1.0)
Timer = Callable[[Flow, Mended], tuple[float, Mapping[Resource, float]]]
"""The time of a launch and its parts, were its traffic this, and so much mended."""


@dataclass(frozen=True, slots=True)
class _Issued:
    """The time of a launch whose assembly is known."""

    work: Work
    code: Code
    clocks: Clocks
    machine: Machine
    processor: Processor
    atomics: float

    def __call__(self, flow: Flow, mended: Mended) -> tuple[float, Mapping[Resource, float]]:
        """Seconds and parts for a flow."""
        seconds, parts = self.processor.with_mended(*mended).seconds(self.memory(flow))
        return seconds + self.clocks.launch_seconds, parts

    def memory(self, flow: Flow) -> Mapping[Resource, float]:
        """Seconds that each part of the memory outside the SMs is busy."""
        target = self.work.target
        parts = dict(busy(flow, target, self.machine.rates, self.processor.shape.used))
        del parts[Resource.L1], parts[Resource.SHARED]
        parts[Resource.L2_BYTES] = flow.l2_read_sectors * target.sector_bytes / self.clocks.l2_bytes_per_second
        parts[Resource.ATOMICS] = self.atomics
        parts[Resource.DRAM] += _evicting(flow, self.clocks) / target.dram_bytes_per_second
        return parts

    def standing(self, flow: Flow) -> tuple[Standing, ...]:
        """Where a warp stands."""
        memory = self.memory(flow)
        seconds, _ = self.processor.seconds(memory)
        return standing(self.processor, self.code, seconds, memory, self.work.source_file)


def _timer(work: Work, counted: Sequence[Access], machine: Machine) -> Timer:
    clocks = clocks_of(work.target)
    if work.code is None or clocks is None:
        return lambda flow, _: _without_code(work, counted, flow, machine)
    most = work.occupancy.ctas_per_sm if work.occupancy else WITHOUT_OCCUPANCY
    shape = Shape(work.programs, work.num_warps, max(1, most), work.target.sms)
    rates, line = machine.rates, work.target.line_bytes / work.target.sector_bytes
    stores = [flow_of(each, machine) for each in counted if each.direction is Direction.STORE]
    ways = path_cycles(sum(stores, start=Flow()), rates)
    each = rates.store_request_cycles + line * rates.store_full_sector_cycles
    found = processor(work.target, clocks, work.code, shape, counted, work.flops, ways, each)
    return _Issued(work, work.code, clocks, machine, found, _atomics(counted, clocks))


def _evicting(flow: Flow, clocks: Clocks) -> float:
    """Bytes to DRAM for what ran before: its dirty lines leave the L2, where this launch's last ones stay."""
    before = min(clocks.dirty_bytes, flow.dram_read_bytes + flow.dram_write_bytes)
    return max(0.0, before - min(clocks.dirty_bytes, flow.dram_write_bytes))


def _without_code(
    work: Work, counted: Sequence[Access], flow: Flow, machine: Machine
) -> tuple[float, Mapping[Resource, float]]:
    parts = _parts(work, counted, flow, machine)
    return _seconds(parts, machine.rates), parts


def _atomics(accesses: Iterable[Access], clocks: Clocks) -> float:
    """Seconds that the busiest address keeps its atomics waiting, were all addresses of an access alike."""
    return max((_contended(each, clocks) for each in accesses if each.direction is Direction.ATOMIC), default=0.0)


def _contended(access: Access, clocks: Clocks) -> float:
    if access.space is not Space.GLOBAL or not access.bytes_unique or not access.bytes_requested:
        return 0.0
    times = access.bytes_requested / access.bytes_unique
    return max(times * clocks.atomic_seconds, (access.sectors or 0) / clocks.atomic_sectors)


def _spills(work: Work, machine: Machine) -> Flow:
    warps = work.programs * work.num_warps
    if work.code is None:
        return spill_flow(work.spill_bytes, warps, work.num_warps, machine)
    moved = work.code.local_bytes(Act.LOCAL_LOAD), work.code.local_bytes(Act.LOCAL_STORE)
    return local_flow(work.code.frame_bytes(), moved, warps, work.num_warps, work.shared_bytes, machine)


def _machine(work: Work, accesses: Sequence[Access], rates: Rates) -> Machine:
    target = work.target
    most = work.occupancy.ctas_per_sm if work.occupancy else WITHOUT_OCCUPANCY
    resident = max(1.0, min(float(most), -(-work.programs // target.sms)))
    lines, filled, kept = {True: 0.0, False: 0.0}, 0.0, 0.0
    for access in accesses:
        if access.space is Space.GLOBAL:
            seen = access.locality or plain_locality(access, target)
            lines[_passes_l1(access)] += seen.program_lines * (1.0 - seen.met_share) / max(1, seen.instances)
            filled += _resident_bytes(seen, target) / max(1, seen.instances)
            kept += _kept_bytes(seen, target) / work.programs
    cached = lines[True] * resident * target.line_bytes
    touched = filled * resident * min(target.sms, work.programs)
    room = max(1.0, rates.l1_bytes - resident * work.shared_bytes)
    clocks = clocks_of(target)
    held = max(1.0, kept * resident)
    return Machine(
        target=target,
        rates=rates,
        programs=work.programs,
        resident=resident,
        l1_missed=_capacity_misses(cached, room, accesses, rates),
        l2_kept=min(1.0, rates.l2_bytes / touched) if touched else 1.0,
        # assumed, not measured: lines are replaced at random, so that (1 - 1/lines) ** new lines survive. Chosen
        # for reads since their times follow it; those of stores do not, and follow `l2_kept`
        l2_found=exp(-touched / rates.l2_bytes),
        l1_again=min(1.0, room / held),
        l2_again=min(1.0, rates.l2_bytes / (held * min(target.sms, work.programs))),
        shared_requests=1.0 if clocks is None else clocks.shared_requests,
    )


def _kept_bytes(seen: Locality, target: Target) -> float:
    """Bytes that all programs bring into the caches anew with one access, from first to last trip."""
    touched = float(seen.program_sectors * target.sector_bytes) * (1.0 - seen.met_share)
    return touched * (1.0 if seen.distinct_share is None else seen.distinct_share)


def _resident_bytes(seen: Locality, target: Target) -> float:
    """L2 bytes that an access's programs take up, summed: lines that neighbours fill together count once."""
    alone = float(seen.program_lines * target.line_bytes)
    if seen.run_bytes_resident is None:
        return alone
    # a run of the resident programs begins and ends with a line that it fills in part
    ends = (seen.run_bytes_resident + target.line_bytes - target.sector_bytes) / seen.run_bytes_resident
    together = seen.program_sectors * target.sector_bytes * (seen.distinct_share or 1.0) * ends
    return min(alone, together)


def _capacity_misses(cached: float, room: float, accesses: Sequence[Access], rates: Rates) -> float:
    """Share of returns that find their line evicted: what does not fit, while programs are loading.

    Programs that are storing have done with their lines, so the share of time spent loading counts.
    """
    if cached <= room:
        return 0.0
    loading = sum(float(each.locality.wavefronts) for each in accesses if each.locality and _passes_l1(each))
    storing = sum(
        float(each.sectors or 0) for each in accesses if each.direction in (Direction.STORE, Direction.ATOMIC)
    )
    storing *= rates.store_request_cycles + rates.store_partial_sector_cycles
    share = loading / (loading + storing) if loading else 1.0
    return min(1.0, rates.capacity_misses * (1.0 - room / cached) * share)


def _passes_l1(access: Access) -> bool:
    return access.direction is Direction.LOAD and bool(access.requests)


def _parts(work: Work, accesses: Sequence[Access], flow: Flow, machine: Machine) -> Mapping[Resource, float]:
    sms = min(work.target.sms, work.programs)
    return {**busy(flow, work.target, machine.rates, sms), **_in_flight(work, accesses, flow, machine)}


def _in_flight(work: Work, accesses: Sequence[Access], flow: Flow, machine: Machine) -> Mapping[Resource, float]:
    """Issue and latency: a program's instructions, its waits, and how many programs overlap."""
    target, rates = work.target, machine.rates
    instructions = work.instructions
    if instructions is None:
        requests = sum(each.requests or 0 for each in accesses) / (work.programs * work.num_warps)
        instructions = _SETUP_INSTRUCTIONS + _INSTRUCTIONS_PER_REQUEST * requests
    rounds = work.rounds if work.rounds is not None else _rounds(accesses, work.programs, machine)
    own = (flow.l1_wavefronts + flow.shared_wavefronts) / work.programs
    waits = rounds * rates.latency_cycles + work.barriers * rates.barrier_cycles
    program = instructions * rates.cycles_per_instruction + waits + own
    waves = max(1.0, work.programs / (machine.resident * target.sms))
    issue = instructions * work.num_warps * work.programs / target.simds_per_sm / min(target.sms, work.programs)
    return {Resource.ISSUE: issue / target.clock_hz, Resource.LATENCY: waves * program / target.clock_hz}


def _rounds(accesses: Sequence[Access], programs: int, machine: Machine) -> float:
    """Memory latencies that follow one another: of the load that a program repeats for the longest time.

    A repeated load waits in full for bytes that it meets for the first time, else for a cache. Asynchronous
    copies are taken to overlap.
    """
    loads = (each for each in accesses if each.space is Space.GLOBAL and each.direction is Direction.LOAD)
    return max((_latencies(each, programs, machine) for each in loads), default=1.0)


def _latencies(access: Access, programs: int, machine: Machine) -> float:
    trips = (access.executions or programs) / programs
    touched = (access.sectors or 0) * machine.target.sector_bytes
    if trips <= 1.0 or not access.bytes_unique or not touched:
        return max(1.0, trips)
    fresh = min(1.0, access.bytes_unique / touched)
    hit = machine.rates.l2_hit_cycles if access.shape else machine.rates.l1_hit_cycles
    return max(1.0, trips * (fresh + (1.0 - fresh) * hit / machine.rates.latency_cycles))


def _seconds(parts: Mapping[Resource, float], rates: Rates) -> float:
    # shared memory and L1 lines go through one data stage: they add up before anything overlaps
    merged = dict(parts)
    merged[Resource.L1] = merged.pop(Resource.SHARED) + merged[Resource.L1]
    return rates.launch_seconds + together(merged.values(), rates.busy_exponent)


def _access_cost(work: Work, access: Access, own: Flow, machine: Machine, lost: float) -> AccessCost:
    sms = min(work.target.sms, work.programs)
    parts = busy(own, work.target, machine.rates, sms)
    return AccessCost(
        id=access.id,
        seconds=together(parts.values(), machine.rates.busy_exponent),
        limiting=max(parts, key=lambda each: parts[each]),
        parts=parts,
        lost_seconds=lost,
    )


def _lost(
    work: Work, accesses: Sequence[Access], flows: Sequence[Flow], spills: Flow, timer: Timer
) -> Iterator[float]:
    """Seconds that each access loses to its pattern: the mean of mending it first and mending it last.

    Where accesses keep different resources busy, mending one alone gains little while another is as bad, and
    the last one to be mended gains all: the mean lets both look as bad as they are. Of two accesses it is what
    each adds to the loss of both together (their Shapley value).
    """
    ideal = [ideal_flow(each, own, work.target) for each, own in zip(accesses, flows, strict=True)]

    data = _shares([surplus_wavefronts(each) for each in accesses])
    warps = _shares(
        [_saved(each, own, better, work.target) for each, own, better in zip(accesses, flows, ideal, strict=True)]
    )

    def seconds(flow: Flow, mended: Mended) -> float:
        return timer(flow, mended)[0]

    as_is, mended = sum(flows, start=spills), sum(ideal, start=spills)
    slow, fast = seconds(as_is, _NOTHING), seconds(mended, _ALL)
    for own, better, path, share in zip(flows, ideal, data, warps, strict=True):
        first = slow - seconds(as_is + own.scaled(-1.0) + better, (path, share))
        last = seconds(mended + better.scaled(-1.0) + own, (1.0 - path, 1.0 - share)) - fast
        yield (max(0.0, first) + max(0.0, last)) / 2


def _shares(costs: Sequence[float]) -> Sequence[float]:
    """Each cost over their sum."""
    return [cost / (sum(costs) or 1.0) for cost in costs]


def _saved(access: Access, own: Flow, better: Flow, target: Target) -> float:
    """Cycles of the SMs' data path and ways to the L2 that an access takes for its pattern."""
    rates = rates_of(target)
    if access.space is Space.SHARED:
        return own.shared_wavefronts - better.shared_wavefronts
    return max(
        0.0, own.l1_wavefronts - better.l1_wavefronts + path_cycles(own, rates) - path_cycles(better, rates)
    )


__all__ = ["Work", "kernel_cost", "kernel_seconds"]
