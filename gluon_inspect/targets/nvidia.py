"""NVIDIA architectures by compute capability.

Per-SM limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", and the same
numbers in libcu++'s `arch_traits`. Rates belong to the named card and come from its data sheet.
"""

from __future__ import annotations

from dataclasses import replace

from gluon_inspect.model.target import Target

_KIB = 1024
_MIB = 1024 * 1024

_GUIDE = 'CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"'
_TUNING = "NVIDIA tuning guide of the architecture, section on unified shared memory, L1 and texture cache"
_SOURCES = {
    "max_warps_per_sm": _GUIDE,
    "max_ctas_per_sm": _GUIDE,
    "max_threads_per_cta": _GUIDE,
    "registers_per_sm": _GUIDE,
    "max_registers_per_thread": _GUIDE,
    "shared_bytes_per_sm": _GUIDE,
    "shared_bytes_per_cta": _GUIDE,
    "shared_banks": _GUIDE,
    "shared_reserved_bytes_per_cta": "CUDA C++ Programming Guide: 1 KB reserved for system use a CTA from 8.0 on",
    "shared_configurations_bytes": _TUNING,
    "register_allocation_unit": "Nsight Compute occupancy calculator: 256 registers a warp",
    "min_registers_per_thread": "launch__registers_per_thread of recorded H200 launches of 8 to 14 registers: 16",
    "shared_allocation_bytes": "Nsight Compute occupancy calculator: 128 bytes",
    "sector_bytes": "Nsight Compute kernel profiling guide: 32-byte sectors",
    "line_bytes": "Nsight Compute kernel profiling guide: 128-byte lines of 4 sectors",
}


def _sources(card: str, **more: str) -> dict[str, str]:
    rates = ("sms", "dram_bytes_per_second", "l2_bytes", "clock_hz")
    return {**_SOURCES, **dict.fromkeys(rates, card), **more}


def _configurations(*kib: int) -> tuple[int, ...]:
    return tuple(size * _KIB for size in kib)


SM_90 = Target(
    name="cuda:90",
    backend="cuda",
    architecture="Hopper",
    warp_size=32,
    reference_device="H200 SXM",
    sms=132,
    max_warps_per_sm=64,
    max_ctas_per_sm=32,
    max_threads_per_cta=1024,
    registers_per_sm=65536,
    max_registers_per_thread=255,
    register_allocation_unit=256,
    min_registers_per_thread=16,
    shared_bytes_per_sm=228 * _KIB,
    shared_bytes_per_cta=227 * _KIB,
    shared_reserved_bytes_per_cta=1 * _KIB,
    shared_allocation_bytes=128,
    shared_configurations_bytes=_configurations(0, 8, 16, 32, 64, 100, 132, 164, 196, 228),
    shared_banks=32,
    sector_bytes=32,
    line_bytes=128,
    dram_bytes_per_second=4.8e12,
    l2_bytes=50 * _MIB,
    clock_hz=1.98e9,
    sources=_sources("NVIDIA H200 data sheet (4.8 TB/s); Hopper whitepaper (132 SMs, 50 MB L2, SXM5 boost clock)"),
)

SM_100 = replace(
    SM_90,
    name="cuda:100",
    architecture="Blackwell",
    reference_device="B200",
    sms=148,
    dram_bytes_per_second=8.0e12,
    l2_bytes=126 * _MIB,
    clock_hz=1.965e9,
    tensor_memory_columns=512,
    sources=_sources(
        "NVIDIA B200 data sheet (8 TB/s); Blackwell tuning guide (126 MB L2); device properties (148 SMs)",
        tensor_memory_columns="PTX ISA, Tensor Memory: 512 columns x 128 lanes of 32 bits a CTA",
    ),
)

SM_103 = replace(
    SM_100,
    name="cuda:103",
    architecture="Blackwell Ultra",
    reference_device="B300",
    clock_hz=1.92e9,
    sources=_sources(
        "NVIDIA B300 / Blackwell Ultra data sheet (8 TB/s); SMs and L2 as on B200 device properties",
        tensor_memory_columns="PTX ISA, Tensor Memory: 512 columns x 128 lanes of 32 bits a CTA",
    ),
)

SM_80 = replace(
    SM_90,
    name="cuda:80",
    architecture="Ampere",
    reference_device="A100 SXM 80 GB",
    sms=108,
    shared_bytes_per_sm=164 * _KIB,
    shared_bytes_per_cta=163 * _KIB,
    shared_configurations_bytes=_configurations(0, 8, 16, 32, 64, 100, 132, 164),
    dram_bytes_per_second=2.039e12,
    l2_bytes=40 * _MIB,
    clock_hz=1.41e9,
    sources=_sources("NVIDIA A100 80 GB data sheet (2,039 GB/s); GA100 whitepaper (108 SMs, 40 MB L2, 1,410 MHz)"),
)

SM_86 = replace(
    SM_80,
    name="cuda:86",
    reference_device="GeForce RTX 3090",
    sms=82,
    max_warps_per_sm=48,
    max_ctas_per_sm=16,
    shared_bytes_per_sm=100 * _KIB,
    shared_bytes_per_cta=99 * _KIB,
    shared_configurations_bytes=_configurations(0, 8, 16, 32, 64, 100),
    dram_bytes_per_second=9.36e11,
    l2_bytes=6 * _MIB,
    clock_hz=1.695e9,
    sources=_sources("NVIDIA GA102 whitepaper: RTX 3090 (82 SMs, 936 GB/s, 6 MB L2, 1,695 MHz boost)"),
)

SM_89 = replace(
    SM_86,
    name="cuda:89",
    architecture="Ada Lovelace",
    reference_device="GeForce RTX 4090",
    sms=128,
    max_ctas_per_sm=24,
    dram_bytes_per_second=1.008e12,
    l2_bytes=72 * _MIB,
    clock_hz=2.52e9,
    sources=_sources("NVIDIA Ada whitepaper: RTX 4090 (128 SMs, 1,008 GB/s, 72 MB L2, 2,520 MHz boost)"),
)

SM_120 = replace(
    SM_89,
    name="cuda:120",
    architecture="Blackwell (consumer)",
    reference_device="GeForce RTX 5090",
    sms=170,
    dram_bytes_per_second=1.792e12,
    l2_bytes=96 * _MIB,
    clock_hz=2.407e9,
    sources=_sources("NVIDIA RTX Blackwell whitepaper: RTX 5090 (170 SMs, 1,792 GB/s, 96 MB L2, 2,407 MHz boost)"),
)

SM_121 = replace(
    SM_120,
    name="cuda:121",
    reference_device="GB10 (DGX Spark)",
    sms=48,
    dram_bytes_per_second=2.73e11,
    l2_bytes=24 * _MIB,
    clock_hz=2.418e9,
    sources=_sources(
        "NVIDIA DGX Spark data sheet (6,144 CUDA cores, 273 GB/s LPDDR5X); device properties (L2, clock)"
    ),
)

SM_75 = replace(
    SM_80,
    name="cuda:75",
    architecture="Turing",
    reference_device="T4",
    sms=40,
    max_warps_per_sm=32,
    max_ctas_per_sm=16,
    shared_bytes_per_sm=64 * _KIB,
    shared_bytes_per_cta=64 * _KIB,
    shared_reserved_bytes_per_cta=0,
    shared_allocation_bytes=256,
    shared_configurations_bytes=_configurations(32, 64),
    dram_bytes_per_second=3.2e11,
    l2_bytes=4 * _MIB,
    clock_hz=1.59e9,
    sources=_sources(
        "NVIDIA T4 data sheet (320 GB/s); Turing whitepaper (40 SMs, 4 MB L2, 1,590 MHz boost)",
        shared_reserved_bytes_per_cta="CUDA C++ Programming Guide: nothing reserved before 8.0",
        shared_allocation_bytes="Nsight Compute occupancy calculator: 256 bytes before 8.0",
    ),
)

TARGETS: tuple[Target, ...] = (SM_75, SM_80, SM_86, SM_89, SM_90, SM_100, SM_103, SM_120, SM_121)
