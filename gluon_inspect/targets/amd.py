"""AMD architectures. An "SM" is a compute unit, or a whole WGP where work-groups span one (gfx11, gfx12).

Per-CU limits: AMD's ISA documents and LLVM's AMDGPU backend documentation, which describe the same
allocation rules. No AMD card was at hand: nothing here was checked against counters.
"""

from __future__ import annotations

from dataclasses import replace

from gluon_inspect.model.target import Target

_KIB = 1024
_MIB = 1024 * 1024

_LLVM = "LLVM AMDGPU backend (User Guide for AMDGPU; IsaInfo of AMDGPUBaseInfo)"


def _sources(isa: str, card: str, **more: str) -> dict[str, str]:
    limits = (
        "warp_size",
        "registers_per_sm",
        "max_registers_per_thread",
        "shared_bytes_per_sm",
        "shared_bytes_per_cta",
        "shared_banks",
        "simds_per_sm",
    )
    allocation = (
        "max_warps_per_sm",
        "max_ctas_per_sm",
        "max_multiwarp_ctas_per_sm",
        "register_allocation_unit",
        "shared_allocation_bytes",
    )
    rates = ("sms", "dram_bytes_per_second", "l2_bytes", "clock_hz")
    shared = {
        "shared_read_bytes_per_cycle": "rocprof-compute documentation, LDS: 128 bytes a cycle and CU",
        "shared_write_bytes_per_cycle": "rocprof-compute documentation, LDS: 128 bytes a cycle and CU",
        "shared_latency_cycles": "rocprof-compute documentation, LDS pipeline: 64 cycles at least",
        "scalar_registers_per_simd": "LLVM, IsaInfo: getTotalNumSGPRs, getMaxNumSGPRs (16 for the trap handler)",
    }
    return {
        **shared,
        **dict.fromkeys(limits, isa),
        **dict.fromkeys(allocation, _LLVM),
        **dict.fromkeys(rates, card),
        **more,
    }


GFX942 = Target(
    name="hip:gfx942",
    backend="hip",
    architecture="CDNA 3",
    warp_size=64,
    reference_device="Instinct MI300X",
    sms=304,
    max_warps_per_sm=32,
    max_ctas_per_sm=32,
    max_multiwarp_ctas_per_sm=16,
    max_threads_per_cta=1024,
    registers_per_sm=4 * 512 * 64,
    max_registers_per_thread=512,
    register_allocation_unit=8 * 64,
    has_accumulation_registers=True,
    scalar_registers_per_simd=800,
    shared_bytes_per_sm=64 * _KIB,
    shared_bytes_per_cta=64 * _KIB,
    shared_reserved_bytes_per_cta=0,
    shared_allocation_bytes=512,
    shared_banks=32,
    sector_bytes=64,
    line_bytes=128,
    dram_bytes_per_second=5.3e12,
    l2_bytes=32 * _MIB,
    clock_hz=2.1e9,
    simds_per_sm=4,
    xcds=8,
    last_level_bytes=256 * _MIB,
    direct_to_shared_bits=(32,),
    workgroups_wanted=1024,
    sources=_sources(
        'AMD Instinct MI300 ISA (2024), "Vector GPRs: allocation and alignment", "LDS"',
        "AMD Instinct MI300X data sheet (304 CUs, 5.3 TB/s, 2,100 MHz); CDNA 3 whitepaper (4 MB L2 x 8 XCDs)",
        last_level_bytes="CDNA 3 whitepaper: 256 MB Infinity Cache, shared by all XCDs",
        direct_to_shared_bits="unverified: one dword a lane; the MI300 ISA was not looked up for it",
        workgroups_wanted="ROCm 6.1, Optimizing Triton kernels: a grid of more than 1,024 workgroups on MI300X",
        xcds="CDNA 3 whitepaper: 8 XCDs, an L2 each, coherent within an XCD only",
        sector_bytes="CDNA 3 whitepaper: the L2 serves 128-byte lines, memory requests are 64 bytes",
        line_bytes="CDNA 3 whitepaper: vector L1 line of 128 bytes",
    ),
)

GFX90A = replace(
    GFX942,
    name="hip:gfx90a",
    architecture="CDNA 2",
    reference_device="Instinct MI250X (one of two dies)",
    sms=110,
    line_bytes=64,
    dram_bytes_per_second=1.6384e12,
    l2_bytes=8 * _MIB,
    clock_hz=1.7e9,
    xcds=1,
    last_level_bytes=0,
    direct_to_shared_bits=(),
    workgroups_wanted=0,
    sources=_sources(
        'AMD Instinct MI200 ISA (2022), "Vector GPRs: allocation and alignment", "LDS"',
        "AMD Instinct MI250X data sheet (220 CUs, 3.2 TB/s and 16 MB L2 on two dies, 1,700 MHz)",
        line_bytes="CDNA 2 whitepaper: vector L1 line of 64 bytes",
        sector_bytes="CDNA 2 whitepaper: memory requests of 64 bytes",
    ),
)

GFX950 = replace(
    GFX942,
    name="hip:gfx950",
    architecture="CDNA 4",
    reference_device="Instinct MI355X",
    sms=256,
    shared_bytes_per_sm=160 * _KIB,
    shared_bytes_per_cta=160 * _KIB,
    shared_allocation_bytes=1280,
    shared_banks=64,
    shared_read_bytes_per_cycle=256,
    shared_latency_cycles=40,
    direct_to_shared_bits=(32, 96, 128),
    workgroups_wanted=0,
    dram_bytes_per_second=8.0e12,
    l2_bytes=32 * _MIB,
    clock_hz=2.4e9,
    sources=_sources(
        'AMD Instinct CDNA 4 ISA (2025), "Vector GPRs", "LDS: 160 KB, 64 banks"',
        "AMD Instinct MI355X data sheet (256 CUs, 8 TB/s, 2,400 MHz); CDNA 4 whitepaper (4 MB L2 x 8 XCDs)",
        shared_banks="CDNA 4 ISA: 64 banks; which instructions see them: targets/lds.py",
        shared_read_bytes_per_cycle="AMD Shark AI, amdgpu_kernel_optimization_guide.md: reads 256 bytes a clock",
        shared_write_bytes_per_cycle="AMD rocRoller, LDSBankModel.cpp: writes as on MI300",
        shared_latency_cycles="AMD rocRoller, LDSModel.cpp: round trip of 40 cycles, determined experimentally",
        xcds="CDNA 4 whitepaper: 8 XCDs of 32 CUs",
        last_level_bytes="CDNA 4 whitepaper: 256 MB Infinity Cache",
        direct_to_shared_bits="CDNA 4 ISA: buffer_load ... lds of 1, 3 or 4 dwords a lane (CK pull request 2576)",
        sector_bytes="CDNA 3 whitepaper, unchanged in CDNA 4",
        line_bytes="CDNA 4 whitepaper: vector L1 line of 128 bytes",
    ),
)

GFX1100 = replace(
    GFX942,
    name="hip:gfx1100",
    architecture="RDNA 3",
    warp_size=32,
    reference_device="Radeon RX 7900 XTX",
    sms=48,
    max_warps_per_sm=64,
    max_ctas_per_sm=64,
    max_multiwarp_ctas_per_sm=32,
    registers_per_sm=4 * 1536 * 32,
    max_registers_per_thread=256,
    register_allocation_unit=24 * 32,
    has_accumulation_registers=False,
    scalar_registers_per_simd=0,
    shared_bytes_per_sm=128 * _KIB,
    shared_bytes_per_cta=64 * _KIB,
    shared_allocation_bytes=1024,
    shared_banks=32,
    line_bytes=128,
    dram_bytes_per_second=9.6e11,
    l2_bytes=6 * _MIB,
    clock_hz=2.5e9,
    xcds=1,
    last_level_bytes=96 * _MIB,
    direct_to_shared_bits=(),
    workgroups_wanted=0,
    sources=_sources(
        'RDNA 3 ISA (2023), "Wave state", "LDS: 128 KB a WGP"',
        "AMD Radeon RX 7900 XTX specifications (96 CUs in 48 WGPs, 960 GB/s, 2,500 MHz boost); 6 MB L2",
        last_level_bytes="unverified, the specifications were not looked up: 96 MB Infinity Cache",
        shared_banks="AMD Shark AI, docs/empirical-lds: 32 measured (a WGP has 2 x 32, one set a CU)",
        sector_bytes="RDNA whitepaper: 64-byte requests to memory",
        line_bytes="RDNA whitepaper: 128-byte cache lines",
    ),
)

GFX1201 = replace(
    GFX1100,
    name="hip:gfx1201",
    architecture="RDNA 4",
    reference_device="Radeon RX 9070 XT",
    sms=32,
    dram_bytes_per_second=6.4e11,
    l2_bytes=8 * _MIB,
    clock_hz=2.97e9,
    last_level_bytes=64 * _MIB,
    sources=_sources(
        'RDNA 4 ISA (2025), "Wave state", "LDS: 128 KB a WGP"',
        "AMD Radeon RX 9070 XT specifications (64 CUs in 32 WGPs, 640 GB/s, 2,970 MHz boost); 8 MB L2",
        last_level_bytes="unverified, the specifications were not looked up: 64 MB Infinity Cache",
        shared_banks="AMD Shark AI, docs/empirical-lds: 32 measured (a WGP has 2 x 32, one set a CU)",
        sector_bytes="RDNA whitepaper: 64-byte requests to memory",
        line_bytes="RDNA whitepaper: 128-byte cache lines",
    ),
)

GFX1250 = replace(
    GFX1100,
    name="hip:gfx1250",
    architecture="CDNA 5",
    reference_device="Instinct MI455X (announced)",
    sms=256,
    max_multiwarp_ctas_per_sm=16,
    registers_per_sm=4 * 1024 * 32,
    max_registers_per_thread=1024,
    register_allocation_unit=16 * 32,
    shared_bytes_per_sm=320 * _KIB,
    shared_bytes_per_cta=320 * _KIB,
    shared_allocation_bytes=2048,
    shared_banks=64,
    dram_bytes_per_second=1.96e13,
    l2_bytes=192 * _MIB,
    clock_hz=2.4e9,
    last_level_bytes=0,
    direct_to_shared_bits=(8, 32, 64, 128),
    sources=_sources(
        "LLVM AMDGPU backend, gfx1250 features: wave32, 1024 addressable VGPRs, 320 KB LDS, four SIMDs",
        "AMD's MI455X announcement (19.6 TB/s); rocMLIR's architecture table (256 WGPs, 192 MB L2)",
        clock_hz="not published; MI355X's, as a stand-in",
        sector_bytes="assumed as in CDNA 3",
        line_bytes="LLVM feature DataCacheLineSize128",
        direct_to_shared_bits="unverified: global_load_async_to_lds_b8 to _b128; LLVM was not looked up",
        shared_banks="Triton's AMD target information: 64 on gfx950 and gfx1250",
    ),
)

TARGETS: tuple[Target, ...] = (GFX90A, GFX942, GFX950, GFX1100, GFX1201, GFX1250)
