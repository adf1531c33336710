"""How many CTAs an SM (AMD: a compute unit or WGP) holds at once, and which resource stops one more."""

from __future__ import annotations

from gluon_inspect.model.report import Occupancy
from gluon_inspect.model.target import Target


def occupancy(
    target: Target,
    registers_per_thread: int,
    shared_bytes: int,
    num_warps: int,
    scalar_registers: int | None = None,
) -> Occupancy:
    """CTAs and warps an SM from registers a thread, shared bytes a CTA and warps a CTA.

    `registers_per_thread` as the binary says (AMD with AGPRs: both files together, see
    `unified_registers`); `num_warps` counts every warp of the CTA, warp-specialised ones included.
    `scalar_registers`: SGPRs of a wave, a limit on AMD's gfx9 alone.
    The rules are those of the CUDA occupancy calculator; `limits` equals Nsight Compute's
    `launch__occupancy_limit_*` on all recorded H200 launches.
    """
    num_warps = max(num_warps, 1)
    blocks = _blocks_limit(target, num_warps)
    others = {
        "registers": _registers_limit(target, registers_per_thread, num_warps),
        "warps": target.max_warps_per_sm // num_warps,
        "blocks": blocks,
    }
    if scalar_registers is not None and target.scalar_registers_per_simd:
        others["scalar_registers"] = scalar_waves(target, scalar_registers) * target.simds_per_sm // num_warps
    wanted = min(others.values())
    limits = {**others, "shared": _shared_limit(target, shared_bytes, wanted)}
    ctas = min(limits.values())
    warps = ctas * num_warps
    return Occupancy(
        ctas_per_sm=ctas,
        warps=warps,
        fraction=warps / target.max_warps_per_sm,
        limited_by=tuple(name for name, limit in limits.items() if limit == ctas),
        limits=limits,
    )


def scalar_waves(target: Target, scalar_registers: int) -> int:
    """Waves of one SIMD that its SGPRs allow, VCC and the like counted in; LLVM's getMaxNumSGPRs."""
    unit = target.scalar_register_allocation_unit
    each = _round_up(max(scalar_registers, 1), unit) + target.scalar_registers_reserved
    return target.scalar_registers_per_simd // each


def registers_for_more_waves(target: Target, registers_per_thread: int) -> int | None:
    """The most registers a thread with which one more wave fits a SIMD; None where no more can."""
    file = target.registers_per_sm // target.simds_per_sm // target.warp_size
    unit = max(target.register_allocation_unit // target.warp_size, 1)
    waves = file // allocated_registers(target, registers_per_thread)
    most = file // (waves + 1) // unit * unit
    return most if waves < target.max_warps_per_sm // target.simds_per_sm and most else None


def allocated_registers(target: Target, registers_per_thread: int) -> int:
    """Registers a thread that the hardware sets aside: at least the minimum, rounded up to the unit."""
    unit = max(target.register_allocation_unit // target.warp_size, 1)
    return _round_up(max(registers_per_thread, target.min_registers_per_thread), unit)


def unified_registers(target: Target, vector: int, accumulation: int) -> int:
    """AMD's registers a thread: VGPRs rounded up to 4, then AGPRs, in one file (gfx90a, gfx94x, gfx95x).

    Source: LLVM's User Guide for AMDGPU, `.amdhsa_accum_offset` (a multiple of 4).
    """
    if not target.has_accumulation_registers or not accumulation:
        return vector
    return _round_up(vector, 4) + accumulation


def shared_configuration_bytes(target: Target, shared_bytes: int, ctas: int) -> int:
    """The share of the L1 array that the driver gives to shared memory for `ctas` CTAs an SM.

    A fit to the 220 H200 launches of the truth set, exact on all: room for twice the CTAs (no more than an
    SM takes), as a whole percentage of the maximum and at most 50 percent, but never less than what the
    CTAs need or what the reserved bytes of a full SM take. Targets with one configuration return it.
    """
    maximum = target.shared_bytes_per_sm
    if not target.shared_configurations_bytes:
        return maximum
    reserved = target.shared_reserved_bytes_per_cta
    roomy = min(2 * ctas, target.max_ctas_per_sm)
    percent = min(50, roomy * (shared_bytes + reserved) * 100 // maximum)
    least = max(
        ctas * _shared_allocation(target, shared_bytes),
        percent * maximum / 100,
        target.max_ctas_per_sm * reserved,
    )
    return min((size for size in target.shared_configurations_bytes if size >= least), default=maximum)


def _registers_limit(target: Target, registers_per_thread: int, num_warps: int) -> int:
    per_warp = allocated_registers(target, registers_per_thread) * target.warp_size
    warps_per_simd = target.registers_per_sm // target.simds_per_sm // per_warp
    return warps_per_simd * target.simds_per_sm // num_warps


def _blocks_limit(target: Target, num_warps: int) -> int:
    if num_warps > 1 and target.max_multiwarp_ctas_per_sm:
        return target.max_multiwarp_ctas_per_sm
    return target.max_ctas_per_sm


def _shared_limit(target: Target, shared_bytes: int, wanted: int) -> int:
    allocation = _shared_allocation(target, shared_bytes)
    if not allocation:
        return target.max_ctas_per_sm
    return shared_configuration_bytes(target, shared_bytes, wanted) // allocation


def _shared_allocation(target: Target, shared_bytes: int) -> int:
    return _round_up(shared_bytes + target.shared_reserved_bytes_per_cta, target.shared_allocation_bytes)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
