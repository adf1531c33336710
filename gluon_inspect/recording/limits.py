"""Which launches a device would refuse, by the compiler's metadata of the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gluon_inspect.model.target import Target

_TENSOR_MEMORY_COLUMNS = 512
"""PTX ISA, "Tensor Memory": 512 columns of 128 lanes a CTA."""


def why_refused(name: str, metadata: Mapping[str, Any], target: Target) -> str:
    """What the kernel needs and the target lacks, as Triton checks it before it loads a kernel; empty: nothing."""
    warps = metadata.get("num_warps") or 0
    needs = (
        (metadata.get("shared"), target.shared_bytes_per_cta, "bytes of shared memory a CTA"),
        (metadata.get("tmem_size"), _TENSOR_MEMORY_COLUMNS, "columns of tensor memory"),
        (warps * target.warp_size, target.max_threads_per_cta, "threads a CTA"),
    )
    for needed, limit, what in needs:
        if isinstance(needed, int) and needed > limit:
            return f"{name} was not launched: it needs {needed} {what}, {target.name} has {limit}"
    return ""
