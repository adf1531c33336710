"""A GPU architecture as numbers; the constants stand in `targets/`, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Target:
    """One architecture. `name` as `--target` takes it ("cuda:90", "hip:gfx942").

    Rates are those of `reference_device`, the card the cost model speaks of when none is measured.
    Per "SM" means per compute unit (or WGP in CU mode) on AMD.
    """

    name: str
    backend: str
    architecture: str
    warp_size: int
    reference_device: str
    sms: int
    max_warps_per_sm: int
    max_ctas_per_sm: int
    max_threads_per_cta: int
    registers_per_sm: int
    max_registers_per_thread: int
    register_allocation_unit: int
    shared_bytes_per_sm: int
    shared_bytes_per_cta: int
    shared_reserved_bytes_per_cta: int
    shared_allocation_bytes: int
    shared_banks: int
    sector_bytes: int
    line_bytes: int
    dram_bytes_per_second: float
    l2_bytes: int
    clock_hz: float
    tensor_memory_columns: int = 0
    simds_per_sm: int = 4
    min_registers_per_thread: int = 1
    """Registers a thread that are allocated at least, whatever the binary asks for."""
    max_multiwarp_ctas_per_sm: int = 0
    """AMD: CTAs of more than one warp an SM (barrier slots); 0: `max_ctas_per_sm` holds for them too."""
    shared_configurations_bytes: tuple[int, ...] = ()
    """The sizes shared memory can be given of the L1's array, smallest first; empty: fixed."""
    max_vector_bytes: int = 16
    """Widest global load or store of one thread."""
    has_accumulation_registers: bool = False
    """AMD: AGPRs share one file with VGPRs."""
    scalar_registers_per_simd: int = 0
    """AMD's gfx9: SGPRs that the waves of a SIMD share; 0: every wave has all it can name."""
    scalar_register_allocation_unit: int = 16
    scalar_registers_reserved: int = 16
    """SGPRs a wave that the trap handler takes, which ROCm always installs."""
    shared_read_bytes_per_cycle: int = 128
    """Bytes that shared memory of an SM gives a cycle."""
    shared_write_bytes_per_cycle: int = 128
    shared_latency_cycles: int = 64
    """AMD: from an LDS read to its data, without conflicts, its own transfer not counted."""
    xcds: int = 1
    """AMD: dies with an L2 of their own, among which workgroups are dealt out in turn; 1: one L2 for all."""
    direct_to_shared_bits: tuple[int, ...] = ()
    """AMD: bits a lane that a load straight to LDS moves (`buffer_load ... lds`, `global_load_lds`)."""
    workgroups_wanted: int = 0
    """AMD: workgroups of a grid that its tuning guide wants at least; 0: no number is published."""
    last_level_bytes: int = 0
    """AMD: the Infinity Cache (MALL) between L2 and memory; 0: none, or not published."""
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where each number comes from, by field name."""

    @property
    def l2_bytes_reached(self) -> int:
        """L2 that one SM can hit: that of its own die."""
        return self.l2_bytes // self.xcds

    def __repr__(self) -> str:
        return f"<Target {self.name}: {self.architecture}, rates of a {self.reference_device}>"
