"""What to type where a package that scripts need is not installed."""

from __future__ import annotations

import sys

_LINUX = "pip install torch --index-url https://download.pytorch.org/whl/cpu"
"""PyTorch, "Get started": the build for processors, which brings no CUDA packages and leaves Triton alone."""
_ELSEWHERE = "pip install torch"
"""On macOS and Windows the package index holds no other build."""


def how_to_install(package: str, platform: str = sys.platform) -> str:
    """The command for this platform; recording needs no GPU, so torch is its small build."""
    if package != "torch":
        return f"pip install {package}"
    return f"{_LINUX if platform.startswith('linux') else _ELSEWHERE} (no GPU build is needed)"
