"""What a launch of a report and a launch on the GPU have in common."""

from __future__ import annotations

from gluon_inspect.loading.identity import launch_key
from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.report import KernelReport

DEFAULT_TIMEOUT_SECONDS = 600.0
"""A script that runs longer on the GPU, with every launch repeated, is ended."""

KEYS = "keys.json"
"""The file in a job's folder that names the launches to measure (absent: all)."""


def kernel_key(kernel: CompiledKernel, launch: Launch) -> str:
    """The key under which the measuring child knows a launch."""
    return launch_key(kernel.name, kernel.stages.get("ttgir", ""), launch.grid, dict(launch.arguments))


def report_key(kernel: KernelReport) -> str:
    """The same of a report's launch."""
    return kernel_key(kernel.kernel, kernel.launch)
