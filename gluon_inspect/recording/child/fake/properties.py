"""What the device says of itself: torch.cuda.get_device_properties of the target."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from gluon_inspect.model.target import Target

BUS_BITS = 5120
"""H100's, and of no consequence: clock and width are only ever multiplied, and the clock is chosen to fit."""
_MEMORY_GIB = {
    "H200": 141,
    "B200": 180,
    "B300": 270,
    "A100": 80,
    "RTX 3090": 24,
    "RTX 4090": 24,
    "RTX 5090": 32,
    "GB10": 119,
    "T4": 15,
    "MI300X": 192,
    "MI250X": 64,
    "MI355X": 288,
    "RX 7900 XTX": 24,
    "RX 9070 XT": 16,
    "MI455X": 432,
}
"""By reference device, from the data sheets; what torch shows is a little less."""
_OTHER_GIB = 80


def device_name(target: Target) -> str:
    """As the driver spells it: with the maker in front, without remarks."""
    plain = re.sub(r" \(.*\)", "", target.reference_device)
    return f"NVIDIA {plain}" if target.backend == "cuda" else f"AMD {plain}"


def memory_bytes(target: Target) -> int:
    """The device's memory."""
    found = (gib for name, gib in _MEMORY_GIB.items() if name in target.reference_device)
    return next(found, _OTHER_GIB) << 30


def memory_clock_khz(target: Target) -> int:
    """The clock at which a bus of BUS_BITS, twice a cycle, has the target's bandwidth."""
    return int(target.dram_bytes_per_second * 8 / (2 * BUS_BITS) / 1e3)


def capability(target: Target) -> tuple[int, int]:
    """The compute capability torch reports: of "cuda:120" (12, 0); of AMD's "gfx942" (9, 4)."""
    if target.backend == "cuda":
        number = int(target.name.split(":")[1])
        return number // 10, number % 10
    digits = target.name.split("gfx")[1]
    return int(digits[:-2]), int(digits[-2], 16)


class DeviceProperties(SimpleNamespace):
    """torch's _CudaDeviceProperties."""


def properties(target: Target) -> Any:
    """torch.cuda.get_device_properties of the target."""
    major, minor = capability(target)
    return DeviceProperties(
        name=device_name(target),
        major=major,
        minor=minor,
        total_memory=memory_bytes(target),
        multi_processor_count=target.sms,
        warp_size=target.warp_size,
        max_threads_per_multi_processor=target.max_warps_per_sm * target.warp_size,
        max_threads_per_block=target.max_threads_per_cta,
        max_blocks_per_multi_processor=target.max_ctas_per_sm,
        regs_per_multiprocessor=target.registers_per_sm,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=target.shared_bytes_per_cta,
        shared_memory_per_multiprocessor=target.shared_bytes_per_sm,
        L2_cache_size=target.l2_bytes,
        gcnArchName=target.name.split(":")[1] if target.backend == "hip" else device_name(target),
        clock_rate=int(target.clock_hz // 1000),
        memory_clock_rate=memory_clock_khz(target),
        memory_bus_width=BUS_BITS,
        is_integrated=0,
        is_multi_gpu_board=0,
        uuid="00000000-0000-0000-0000-000000000000",
        pci_bus_id=0,
        pci_device_id=0,
        pci_domain_id=0,
    )
