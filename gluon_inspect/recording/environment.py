"""The child's environment: the user's, without what would make Triton write or read the user's own places."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_REMOVED = frozenset(
    {
        "AMDGCN_ENABLE_DUMP",
        "LLVM_IR_ENABLE_DUMP",
        "MLIR_DUMP_PATH",
        "MLIR_ENABLE_DUMP",
        "NVPTX_ENABLE_DUMP",
        "PYTHONSAFEPATH",
        "TRITON_CACHE_MANAGER",
        "TRITON_DEFAULT_BACKEND",
        "TRITON_DISABLE_LINE_INFO",
        "TRITON_DUMP_DIR",
        "TRITON_INTERPRET",
        "TRITON_KERNEL_DUMP",
        "TRITON_KERNEL_OVERRIDE",
        "TRITON_OVERRIDE_DIR",
        "TRITON_REPRODUCER_PATH",
        "TRITON_STORE_BINARY_ONLY",
        "USE_IR_LOC",
    }
)


PARENT = "GLUON_INSPECT_PARENT"
"""The process that a child ends with."""


def child_environment(user: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """Variables for the recording process; caches and dumps go below `scratch`, no GPU is visible."""
    environment = {name: value for name, value in user.items() if name not in _REMOVED}
    return environment | {
        PARENT: str(os.getpid()),
        "TRITON_ALWAYS_COMPILE": "1",
        "TRITON_CACHE_DIR": str(scratch / "cache"),
        "TRITON_HOME": str(scratch / "home"),
        "TORCHINDUCTOR_CACHE_DIR": str(scratch / "inductor"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER": "0",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
