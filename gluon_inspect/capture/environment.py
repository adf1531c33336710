"""The child's environment: the user's, without what would make Triton write or read the user's own places."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_REMOVED = (
    "TRITON_INTERPRET TRITON_KERNEL_DUMP TRITON_KERNEL_OVERRIDE TRITON_DUMP_DIR TRITON_OVERRIDE_DIR MLIR_DUMP_PATH "
    "LLVM_IR_ENABLE_DUMP NVPTX_ENABLE_DUMP AMDGCN_ENABLE_DUMP TRITON_DISABLE_LINE_INFO TRITON_STORE_BINARY_ONLY "
    "TRITON_CACHE_MANAGER TRITON_DEFAULT_BACKEND USE_IR_LOC TRITON_REPRODUCER_PATH PYTHONSAFEPATH"
).split()


def child_environment(user: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """Variables for the recording process; caches and dumps go below `scratch`, no GPU is visible."""
    environment = {name: value for name, value in user.items() if name not in _REMOVED}
    return environment | {
        "MLIR_ENABLE_DUMP": "1",
        "TRITON_ALWAYS_COMPILE": "1",
        "TRITON_CACHE_DIR": str(scratch / "cache"),
        "TRITON_HOME": str(scratch / "home"),
        "TORCHINDUCTOR_CACHE_DIR": str(scratch / "inductor"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
