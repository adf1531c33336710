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
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where each number comes from, by field name."""
