"""What instructions cost on a card, in cycles: latencies, rates of units, barriers, atomics, starting a CTA.

The H200's were measured one at a time where a source names benchmarks/results/pipes_h200_2026-11-30.json (the
results are kept, the script that took them is not); those that are fitted
name the launches they were fitted to. Other cards take the H200's, with the rates that their documents give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gluon_inspect.model.confidence import ModelStatus
from gluon_inspect.model.target import Target

_MICRO = "benchmarks/results/pipes_h200_2026-11-30.json"
_TIMED = "fitted: 234 timed launches on an H200 (../shared/truth/times_h200.json.gz)"
_GUIDE = 'CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"'


@dataclass(frozen=True, slots=True)
class Clocks:
    """Cycles unless the name says otherwise.

    `load_*`: from a load's issue to its scoreboard, by where the data lies; `copy_more`: what an asynchronous
    copy takes longer, its group ready for all warps. `loading`: by how much a busy memory stretches these (see
    `together`). `barrier`, `barrier_warp`: a CTA barrier, and for each of its warps. `matrix_products`: 16-bit
    multiply-adds of an SM a cycle; `warp_matrix`: of which instructions of one warp reach that share.
    `matrix_tail`: from the last matrix instruction's end to the warp that waits for it. `start`: a CTA's start
    and end; `first`: what a launch does before its first CTA computes; `launch_cta`: between two CTAs that one
    SM starts. `atomic_seconds`: between two atomics of one address, `line_visit_seconds`: two requests of one
    line; `atomic_sectors`: sectors a second. `matrix_clock`, `matrix_clock_slope`: clock under matrix work, as a
    share of the target's, and what it loses at full use. `l2_bytes_per_second`: what the L2 hands to all SMs;
    `dirty_bytes`: of the L2, left behind by what ran before. `shared_requests`: the share of what several
    SMs ask for at about the same time that reaches the L2.
    """

    load_dram: float = 650.0
    load_l2: float = 260.0
    load_l1: float = 40.0
    copy_more: float = 400.0
    loading: float = 0.5
    shared: float = 29.0
    shuffle: float = 24.0
    special: float = 18.0
    constant: float = 25.0
    double: float = 8.0
    local: float = 75.0
    atomic: float = 700.0
    bulk: float = 550.0
    phase: float = 30.0
    barrier: float = 12.0
    barrier_warp: float = 2.0
    fence: float = 20.0
    fence_card: float = 500.0
    matrix_products: float = 2048.0
    warp_matrix: float = 0.5
    matrix_tail: float = 30.0
    fma_cycles: float = 1.0
    fp64_cycles: float = 2.0
    start: float = 250.0
    first: float = 2000.0
    launch_seconds: float = 3.5e-6
    launch_cta: float = 164.0
    queue_wave: float = 0.1
    atomic_seconds: float = 1.764e-9
    integer_seconds: float = 0.04e-9
    line_visit_seconds: float = 2.4e-9
    atomic_sectors: float = 47e9
    matrix_clock: float = 0.95
    matrix_clock_slope: float = 0.2
    busy_clock: float = 0.985
    l2_bytes_per_second: float = 9.6e12
    shared_requests: float = 0.8
    dirty_bytes: float = 45e6
    overlap_alone: float = 1.0
    overlap_program: float = 0.37
    memory_overlap: float = 6.0
    status: ModelStatus = ModelStatus.VALIDATED
    sources: Mapping[str, str] = field(default_factory=dict[str, str])


H200 = Clocks(
    sources={
        "load_dram": f"{_MICRO}: a pointer chase through 512 MB takes 680",
        "load_l2": f"{_TIMED}; {_MICRO}: 332 through 1 MB, with the address arithmetic of the chase",
        "load_l1": "benchmarks/device/micro.cu: 49 through 16 KiB",
        "copy_more": _TIMED,
        "loading": _TIMED,
        "shared": f"{_MICRO}: 29 from a chain of loads",
        "shuffle": f"{_MICRO}: 24.1",
        "special": f"{_MICRO}: 17.1 and issue",
        "constant": _TIMED,
        "double": f"{_MICRO}: 8.1",
        "local": _TIMED,
        "atomic": "as a load that the L2 serves, and the way back",
        "bulk": f"{_TIMED}, the five with bulk copies; ../shared/truth/pairs, one MMA outstanding or none",
        "phase": _TIMED,
        "barrier": f"{_MICRO}: 12.3 + 2.0 a warp, from 1 to 32 warps",
        "barrier_warp": f"{_MICRO}: as barrier",
        "fence": "assumed: about a barrier",
        "fence_card": "assumed: about the way to the L2 and back",
        "matrix_products": "NVIDIA H100 white paper: 989.4 TFLOP/s at 1,830 MHz on 132 SMs",
        "warp_matrix": "../shared/notes/time-model.md: 8 cycles for 16x8x16 on a quarter",
        "matrix_tail": _TIMED,
        "fma_cycles": f"{_MICRO}: 1.06",
        "fp64_cycles": f"{_MICRO}: 2.01",
        "start": f"{_TIMED}; {_MICRO}: empty CTAs that leave room for one or two others take 370 to 460 each",
        "first": _TIMED,
        "launch_seconds": "do_bench over Nsight Compute's time of launches below 20 µs: 3.5 to 4.2 µs more",
        "launch_cta": f"{_MICRO}: 164 for 32 to 512 threads and up to 48 KiB of shared memory",
        "queue_wave": "l1tex__data_pipe_lsu_wavefronts of 20 profiled launches against the wavefronts of LDGSTS",
        "atomic_seconds": f"{_MICRO}: float additions to one address, 1.764 ns a lane, of one warp or of many",
        "integer_seconds": f"{_MICRO}: integer additions to one address, which a warp adds up first",
        "line_visit_seconds": f"{_MICRO}: 32 addresses of one line, 2.41 ns a request",
        "atomic_sectors": f"{_MICRO}: one lane a sector, 0.021 ns a lane",
        "matrix_clock": "cycles over time of 25 profiled launches with matrix work",
        "matrix_clock_slope": "as matrix_clock: 1.80 GHz at 16 % use, 1.54 at 74 %",
        "busy_clock": "cycles over time of 42 profiled launches without matrix work",
        "l2_bytes_per_second": f"{_MICRO}: 9.0e12 (each SM its own 128 KiB); lts__t_sectors of matmuls: 9.8e12",
        "dirty_bytes": "reads of 268 MB in do_bench, whose flush writes, over Nsight Compute's time: 10 µs more",
        "shared_requests": f"{_TIMED}; lts__t_sectors over requested sectors of 25 launches: 0.37 to 0.96",
        "overlap_alone": _TIMED,
        "overlap_program": _TIMED,
        "memory_overlap": _TIMED,
    }
)


def clocks_of(target: Target) -> Clocks | None:
    """The clocks of a target's reference card; None where assembly is not issued in this model (AMD)."""
    if target.backend != "cuda":
        return None
    if target.name == "cuda:90":
        return H200
    share = target.clock_hz * target.sms / (1.98e9 * 132)
    fma, fp64, products, warp = _RATES.get(target.name, (1.0, 2.0, 2048.0, 1.0))
    return replace(
        H200,
        fma_cycles=fma,
        fp64_cycles=fp64,
        matrix_products=products,
        warp_matrix=warp,
        l2_bytes_per_second=H200.l2_bytes_per_second * share,
        atomic_sectors=H200.atomic_sectors * share,
        dirty_bytes=H200.dirty_bytes * target.l2_bytes / (50 << 20),
        status=ModelStatus.UNVALIDATED,
        sources={**dict.fromkeys(H200.sources, f"taken from the H200 for {target.name}"), **_RATE_SOURCES},
    )


_RATES: Mapping[str, tuple[float, float, float, float]] = {
    "cuda:75": (2.0, 64.0, 512.0, 1.0),
    "cuda:80": (2.0, 4.0, 1024.0, 1.0),
    "cuda:86": (1.0, 64.0, 256.0, 1.0),
    "cuda:89": (1.0, 64.0, 256.0, 1.0),
    "cuda:100": (1.0, 2.0, 4096.0, 0.25),
    "cuda:103": (1.0, 64.0, 4096.0, 0.25),
    "cuda:120": (1.0, 64.0, 256.0, 1.0),
    "cuda:121": (1.0, 64.0, 256.0, 1.0),
}
"""Cycles of a warp's FP32 and FP64 instruction on a quarter; matrix multiply-adds of an SM; one warp's share."""
_RATE_SOURCES = {
    "fma_cycles": _GUIDE,
    "fp64_cycles": _GUIDE,
    "matrix_products": "the card's white paper: dense 16-bit operations with 32-bit sums over SMs and clock",
    "warp_matrix": "assumed",
}
