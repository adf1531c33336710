"""Processes that a script starts: kernels launched in them are not recorded, and that is said."""

from __future__ import annotations

import importlib
from typing import Any

from gluon_inspect.capture.child.madeup import MadeUp
from gluon_inspect.capture.child.patches import Patches

REMARK = "the script started processes of its own: kernels launched in them are missing here"


def install(patches: Patches, made_up: MadeUp) -> None:
    """Watches multiprocessing (and so torch.multiprocessing) start processes."""
    process: Any = importlib.import_module("multiprocessing.process").BaseProcess
    start = process.start

    def watched(self: Any) -> None:
        made_up.remark(REMARK)
        start(self)

    patches.set(process, "start", watched)
