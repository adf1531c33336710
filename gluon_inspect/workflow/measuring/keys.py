"""What a launch of a report and a launch on the GPU have in common."""

from __future__ import annotations

from gluon_inspect.capture.child.replay import launch_key
from gluon_inspect.model.report import KernelReport

DEFAULT_TIMEOUT_SECONDS = 600.0
"""A script that runs longer on the GPU, with every launch repeated, is ended."""


def report_key(kernel: KernelReport) -> str:
    """The key under which the measuring child knows a launch."""
    launch = kernel.launch
    ttgir = kernel.kernel.stages.get("ttgir", "")
    return launch_key(kernel.name, ttgir, launch.grid, dict(launch.arguments))
